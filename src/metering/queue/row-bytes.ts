import type { LedgerIntent, LedgerRow, LedgerSubject } from '../ledger-row.ts'

/** What an object of this many fields takes beside its texts, and each counted amount. */
const FIXED_BYTES = 800
const AMOUNT_BYTES = 150

/** About how much memory a row takes while it waits. */
export function bytesOfRow(row: LedgerRow): number {
  return bytesOfSubject(row) + row.counted.length * AMOUNT_BYTES
}

export function bytesOfIntent(intent: LedgerIntent): number {
  return bytesOfSubject(intent) + intent.held.length * AMOUNT_BYTES
}

function bytesOfSubject({ keyName, userId, group, tags, model, upstreamModel }: LedgerSubject): number {
  let bytes = FIXED_BYTES + keyName.length + model.length + upstreamModel.length
  bytes += (userId?.length ?? 0) + (group?.length ?? 0)
  for (const name in tags) bytes += name.length + (tags[name]?.length ?? 0)
  return bytes
}
