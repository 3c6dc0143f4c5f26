import type { ErrorRow } from './error-row.ts'
import { gatewayErrors } from './gateway-errors.ts'
import { requestErrors } from './request-errors.ts'
import { storedResponseErrors } from './stored-response-errors.ts'
import { upstreamErrors } from './upstream-errors.ts'

/** Every error that Headgate answers with. `docs/errors.md` is tested against this table. */
export const errorTable = {
  ...requestErrors,
  ...storedResponseErrors,
  ...upstreamErrors,
  ...gatewayErrors,
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

export function errorRow(code: ErrorCode): ErrorRow {
  return errorTable[code]
}
