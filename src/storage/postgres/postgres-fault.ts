import type { GatewayError } from '../../canonical/failure.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { storeUnavailable, UniqueConstraintError } from '../sqlite/store-fault.ts'

// https://www.postgresql.org/docs/18/errcodes-appendix.html, seen 2026-11-24
const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'
/** Classes of SQLSTATE after which a connection is no longer usable: connection exception, operator intervention. */
const ENDING_CLASSES = ['08', '57']
/** The SQLSTATE of a statement that its timeout ended. The connection stays usable. */
const QUERY_CANCELED = '57014'

const IDLE_IN_TRANSACTION = '25P03'

/** The five characters of a SQLSTATE; undefined for a fault of the connection. */
export function stateOf(error: unknown): string | undefined {
  const code = errorCodeOf(error)
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** Whether the connection is no longer usable after the error. */
export function endsConnection(error: unknown): boolean {
  const state = stateOf(error)
  if (state === undefined) return true
  return isSilence(error) || (state !== QUERY_CANCELED && ENDING_CLASSES.includes(state.slice(0, 2)))
}

/** Whether the same transaction may succeed when it is retried. */
export function isRepeatable(error: unknown): boolean {
  const state = stateOf(error)
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED || isSilence(error)
}

/** Whether a statement timed out while it waited for a lock of another connection. */
export function isLocked(error: unknown): boolean {
  return stateOf(error) === LOCK_NOT_AVAILABLE
}

/** Whether the server ended a transaction because nothing was sent for too long. */
export function isSilence(error: unknown): boolean {
  return stateOf(error) === IDLE_IN_TRANSACTION
}

/** The error that stores throw to their callers. */
export function readPostgresFault(name: string, error: unknown): UniqueConstraintError | GatewayError {
  if (stateOf(error) === UNIQUE_VIOLATION) return new UniqueConstraintError(columnOf(error))
  return storeUnavailable(`the database ${name}: ${reasonOf(error)}`, error)
}

/** The first column of a unique index, as `table.column`. */
function columnOf(error: unknown): string {
  const table = memberOf(error, 'table')
  const [, column = ''] = /^Key \(([^,)]+)/.exec(memberOf(error, 'detail')) ?? []
  return `${table}.${column}`
}

function memberOf(error: unknown, name: string): string {
  if (typeof error !== 'object' || error === null || !(name in error)) return ''
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : ''
}
