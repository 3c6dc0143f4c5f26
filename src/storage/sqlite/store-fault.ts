import { GatewayError } from '../../canonical/failure.ts'

/** A row that a unique index refuses. Stores turn it into an answer; nobody else sees it. */
export class UniqueViolation extends Error {
  /** As `table.column`. */
  readonly column: string
  constructor(column: string) {
    super(`a row with this ${column} exists`)
    this.name = 'UniqueViolation'
    this.column = column
  }
}

/** For a store that cannot do its work: the cause goes to the log, the caller is told to wait. */
export function storeUnavailable(reason: string): GatewayError {
  return new GatewayError('store_unavailable', {}, { cause: new Error(reason) })
}
