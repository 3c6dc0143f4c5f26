/** The call IDs that the provider accepts. */
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/
const PREFIX = 'hg_'
const MAX_CHARACTERS = 64

/**
 * The ID of a channel's call in a form for callers of this format. The ID has only characters that the format's own
 * provider accepts, because that provider may be the next target and gets the caller's bytes unchanged. An ID that
 * would be too long stays as it is, and the request's writer fits it.
 */
export function carryCallId(id: string): string {
  if (ACCEPTED.test(id) && !id.startsWith(PREFIX)) return id
  const carried = PREFIX + Buffer.from(id, 'utf8').toString('base64url')
  return carried.length <= MAX_CHARACTERS ? carried : id
}

/** Restores the channel's own ID, which some channels require (`functions.f:0` of Kimi's models). */
export function restoreCallId(id: string): string {
  if (!id.startsWith(PREFIX)) return id
  const restored = Buffer.from(id.slice(PREFIX.length), 'base64url').toString('utf8')
  return carryCallId(restored) === id ? restored : id
}
