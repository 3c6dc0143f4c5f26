import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a server answers to a number used once: only who has the key can, and what is said tells nothing of the key. */
export function writeServerProof(proofKey: string, nonce: string): string {
  return createHmac('sha256', proofKey).update(`headgate server proof\n${nonce}`).digest('base64url')
}

export function isServerProof(proof: string, proofKey: string, nonce: string): boolean {
  const offered = Buffer.from(proof)
  const expected = Buffer.from(writeServerProof(proofKey, nonce))
  return offered.length === expected.length && timingSafeEqual(offered, expected)
}
