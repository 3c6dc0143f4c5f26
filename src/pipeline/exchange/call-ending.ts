/**
 * The end of a call: an answer that was whole, or that made whole what broke off; one that broke off after something of
 * it was shown; a caller who left while it was made; a failure before anything was shown; or no call at all.
 */
export type CallEnding = 'whole' | 'recovered' | 'cut' | 'caller-gone' | 'failed' | 'not-made'

/** Whether the caller pays. */
export function isCharged(ending: CallEnding): boolean {
  return ending !== 'failed' && ending !== 'not-made'
}
