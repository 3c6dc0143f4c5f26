/** The IDs of calls that the provider takes. */
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/
const PREFIX = 'hg_'
const MAX_CHARACTERS = 64

/**
 * The id of a channel's call as callers of this format get it: in the letters of the format's own provider, which may
 * be asked next and gets the caller's bytes as they are. Ids that do not fit in stay; they are fitted on their way.
 */
export function carryCallId(id: string): string {
  if (ACCEPTED.test(id) && !id.startsWith(PREFIX)) return id
  const carried = PREFIX + Buffer.from(id, 'utf8').toString('base64url')
  return carried.length <= MAX_CHARACTERS ? carried : id
}

/** The channel's own id again, which some demand (`functions.f:0` of Kimi's models). */
export function restoreCallId(id: string): string {
  if (!id.startsWith(PREFIX)) return id
  const restored = Buffer.from(id.slice(PREFIX.length), 'base64url').toString('utf8')
  return carryCallId(restored) === id ? restored : id
}
