import type { PriceVersion } from '../../catalog/prices/price.ts'
import { createLedgerRowId } from '../../kit/random/ids.ts'
import type { LedgerSubject } from '../../metering/ledger-row.ts'
import type { SpendingSubject } from './spending.ts'

/** A call that is charged, in the words of the ledger. */
export interface ChargedCall extends SpendingSubject {
  readonly requestId: string
  /** The number of the call among the calls of the request, from 1; undefined means 1. */
  readonly attempt?: number | undefined
  readonly upstreamModel: string
}

/** The ledger's description of a call that starts now. */
export function describeSubject(
  { caller, requestId, attempt = 1, tags, model, channel, upstreamModel }: ChargedCall,
  price: PriceVersion | undefined,
  startedAtMs: number,
): LedgerSubject {
  return {
    id: createLedgerRowId(startedAtMs),
    requestId,
    attempt,
    keyId: caller.keyId,
    keyName: caller.keyName,
    userName: caller.user,
    group: caller.group,
    tags,
    model,
    channel,
    upstreamModel,
    priceVersion: price?.id,
    startedAtMs,
  }
}
