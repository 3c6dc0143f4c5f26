import type { LedgerIntent } from '../ledger-row.ts'
import type { Epoch } from './epoch.ts'
import { EpochEndedError } from './epoch-ended-error.ts'

/** Throws an `EpochEndedError` if an intent has its hold in an epoch that has ended: the amount is no longer held. */
export function checkEpochs(
  intents: readonly LedgerIntent[],
  writer: { readonly epoch: Epoch; readonly isLive: boolean },
): void {
  const ended = intents.filter(
    ({ epoch }) => epoch !== undefined && (epoch !== writer.epoch || !writer.isLive),
  )
  if (ended.length > 0 || (intents.length > 0 && !writer.isLive))
    throw new EpochEndedError(ended.map(({ id }) => id))
}
