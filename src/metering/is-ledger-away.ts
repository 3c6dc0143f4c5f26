import type { ErrorCode } from '../canonical/error-table.ts'
import { GatewayError } from '../canonical/failure.ts'

const awayCodes: ReadonlySet<ErrorCode> = new Set([
  'store_unavailable',
  'ledger_unavailable',
  'report_too_slow',
])

/** Whether the ledger cannot be read or written now: its store does not answer, or not in time. */
export function isLedgerAway(error: unknown): error is GatewayError {
  return error instanceof GatewayError && awayCodes.has(error.failure.code)
}
