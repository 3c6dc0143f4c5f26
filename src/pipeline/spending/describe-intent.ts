import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { LedgerIntent, LedgerSubject, UnseenCost } from '../../metering/ledger-row.ts'
import type { HeldResult } from '../../metering/meter.ts'

/** The time after which an intent expires. It is longer than any call. */
const INTENT_LIFE_MS = 2 * HOUR_MS

/** Describes the intent of a call. `held` is undefined where no budget applies. */
export function describeIntent(
  subject: LedgerSubject,
  held: HeldResult | undefined,
  { inputTokens, multiplierPpm, unseen }: Pick<LedgerIntent, 'inputTokens' | 'multiplierPpm' | 'unseen'>,
): LedgerIntent {
  return {
    ...subject,
    expiresAtMs: subject.startedAtMs + INTENT_LIFE_MS,
    held: held?.hold.amounts ?? [],
    inputTokens,
    multiplierPpm,
    unseen,
    epoch: held?.epoch,
  }
}

/** The amounts that a crash charges for a call whose usage is not visible. Undefined where no budget applies. */
export function describeUnseen(held: HeldResult | undefined, isAhead: boolean): UnseenCost | undefined {
  return held && { ...held.hold.worst, isAhead }
}
