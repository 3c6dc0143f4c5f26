import type { Clock } from '../kit/clock.ts'
import type { AttemptEnd, AttemptSequence } from '../routing/attempt-sequence.ts'

export interface PlaceParts {
  readonly sequence: Pick<AttemptSequence, 'finish'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Somebody may wait for the place. */
  readonly onFreed: () => void
}

/** Makes the call whose place the sequence has taken, and gives the place back whatever comes of it. */
export async function holdPlace(
  { sequence, clock, onFreed }: PlaceParts,
  call: () => Promise<AttemptEnd>,
): Promise<AttemptEnd> {
  // A throw is a mistake of our own and says nothing of the upstream.
  let end: AttemptEnd = { type: 'left' }
  try {
    end = await call()
    return end
  } finally {
    if (sequence.finish(end, clock.monotonicMs())) onFreed()
  }
}
