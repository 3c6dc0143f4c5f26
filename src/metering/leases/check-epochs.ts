import type { LedgerIntent } from '../ledger-row.ts'
import { EpochEndedError } from './epoch-ended-error.ts'
import type { Epoch } from './meter-store.ts'

/** Fails with `EpochEndedError` where an intent holds in a life that is over: it is held no more. */
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
