import { GatewayError } from '../../canonical/failure.ts'

/** A row that a unique index refuses. Stores turn it into an answer; it leaves no store. */
export class UniqueConstraintError extends Error {
  /** The column as `table.column`. */
  readonly column: string
  constructor(column: string) {
    super(`a row with this ${column} exists`)
    this.name = 'UniqueConstraintError'
    this.column = column
  }
}

/** The error of a store that does not work: the reason goes to the log, not to the caller. */
export function storeUnavailable(reason: string, cause?: unknown): GatewayError {
  return new GatewayError('store_unavailable', { logCause: reason }, { cause })
}
