/**
 * The end of a call:
 *
 * - `whole`: the answer was complete.
 * - `recovered`: the answer completed one that broke off.
 * - `cut`: the answer broke off after a part of it was shown.
 * - `caller-gone`: the caller disconnected while the answer was made.
 * - `recovery-left`: the caller disconnected while the call completed an answer that broke off.
 * - `failed`: the call failed before anything was shown, or while it completed an answer that broke off.
 * - `not-made`: there was no call.
 */
export type CallEnding =
  | 'whole'
  | 'recovered'
  | 'cut'
  | 'caller-gone'
  | 'recovery-left'
  | 'failed'
  | 'not-made'

/** The endings of calls that the operator pays for. The caller has paid for the call before one that recovers. */
const uncharged: ReadonlySet<CallEnding> = new Set(['recovered', 'recovery-left', 'failed', 'not-made'])

/** Whether the caller pays for a call with this ending. */
export function isCharged(ending: CallEnding): boolean {
  return !uncharged.has(ending)
}
