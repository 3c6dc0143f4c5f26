import type { Failure } from '../canonical/failure.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { AttemptEnd, AttemptSequence } from '../routing/attempt-sequence.ts'
import type { ExchangeRecord } from './exchange/exchange-record.ts'

export interface SlotOptions {
  readonly sequence: Pick<AttemptSequence, 'finish'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Somebody may wait for the place. */
  readonly onFreed: () => void
}

/**
 * Makes the call whose place the sequence has taken, and gives the place back whatever comes of it. Gives the call's
 * failure; undefined where it was answered, or the caller left.
 */
export async function withSlot(
  { sequence, clock, onFreed }: SlotOptions,
  record: Pick<ExchangeRecord, 'callerLeft'>,
  call: () => Promise<Failure | undefined> | Failure | undefined,
): Promise<Failure | undefined> {
  // A throw is a mistake of our own and says nothing of the upstream.
  let end: AttemptEnd = { type: 'left' }
  try {
    const failure = await call()
    if (failure !== undefined) end = { type: 'failed', failure }
    else if (!record.callerLeft) end = { type: 'answered' }
    return failure
  } finally {
    if (sequence.finish(end, clock.monotonicMs())) onFreed()
  }
}
