import { createHmac, timingSafeEqual } from 'node:crypto'

/** A server's answer to a number used once. Only who has the key can make it, and it gives nothing of the key away. */
export function signNonce(signingKey: string, nonce: string): string {
  return createHmac('sha256', signingKey).update(`headgate server proof\n${nonce}`).digest('base64url')
}

export function isNonceSignature(offered: string, signingKey: string, nonce: string): boolean {
  const given = Buffer.from(offered)
  const expected = Buffer.from(signNonce(signingKey, nonce))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
