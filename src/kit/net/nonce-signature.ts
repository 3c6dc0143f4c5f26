import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Signs a number that is used once (a nonce), as a server's answer. Only a holder of the key can make the signature,
 * and the signature reveals nothing of the key.
 */
export function signNonce(signingKey: string, nonce: string): string {
  return createHmac('sha256', signingKey).update(`headgate server proof\n${nonce}`).digest('base64url')
}

export function isNonceSignature(offered: string, signingKey: string, nonce: string): boolean {
  const given = Buffer.from(offered)
  const expected = Buffer.from(signNonce(signingKey, nonce))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
