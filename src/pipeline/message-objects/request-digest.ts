import { createHash } from 'node:crypto'

/** 48 bits: among 100,000 requests of one batch, two of the same digest are rarer than one in 50,000 batches. */
const DIGEST_CHARACTERS = 8

/** A short text that stands for the `custom_id` of a request; one that is taken for another is billed at its rates. */
export function digestRequest(customId: string): string {
  return createHash('sha256').update(customId).digest('base64url').slice(0, DIGEST_CHARACTERS)
}

export function readDigests(joinedDigests: string): ReadonlySet<string> {
  const digests = new Set<string>()
  for (let at = 0; at < joinedDigests.length; at += DIGEST_CHARACTERS)
    digests.add(joinedDigests.slice(at, at + DIGEST_CHARACTERS))
  return digests
}
