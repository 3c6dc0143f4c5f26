import { GatewayError } from '../../canonical/failure.ts'

/**
 * Thrown where a unique index refuses a row. Stores convert this error into an answer, so that their callers never
 * see it.
 */
export class UniqueConstraintError extends Error {
  /** The column as `table.column`. */
  readonly column: string
  constructor(column: string) {
    super(`a row with this ${column} exists`)
    this.name = 'UniqueConstraintError'
    this.column = column
  }
}

/** The error of a store that does not work. The reason is logged, but not sent to the caller. */
export function storeUnavailable(reason: string, cause?: unknown): GatewayError {
  return new GatewayError('store_unavailable', { logCause: reason }, { cause })
}
