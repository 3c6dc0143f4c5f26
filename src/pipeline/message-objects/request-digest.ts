import { createHash } from 'node:crypto'

/**
 * The length of a digest: 48 bits. Two equal digests among the 100,000 requests of one batch are rarer than one in
 * 50,000 batches.
 */
const DIGEST_CHARACTERS = 8

/**
 * A short text that represents the `custom_id` of a request. If two digests are equal, a request is billed at the
 * other's rates.
 */
export function digestRequest(customId: string): string {
  return createHash('sha256').update(customId).digest('base64url').slice(0, DIGEST_CHARACTERS)
}

export function readDigests(joinedDigests: string): ReadonlySet<string> {
  const digests = new Set<string>()
  for (let at = 0; at < joinedDigests.length; at += DIGEST_CHARACTERS)
    digests.add(joinedDigests.slice(at, at + DIGEST_CHARACTERS))
  return digests
}
