/**
 * The end of a call:
 *
 * - `whole`: the answer was complete.
 * - `recovered`: the answer completed one that broke off.
 * - `cut`: the answer broke off after a part of it was shown.
 * - `caller-gone`: the caller disconnected while the answer was made.
 * - `failed`: the call failed before anything was shown.
 * - `not-made`: there was no call.
 */
export type CallEnding = 'whole' | 'recovered' | 'cut' | 'caller-gone' | 'failed' | 'not-made'

/** Whether the caller pays for a call with this ending. */
export function isCharged(ending: CallEnding): boolean {
  return ending !== 'failed' && ending !== 'not-made'
}
