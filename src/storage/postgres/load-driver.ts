import { OperatorError } from '../../canonical/operator-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'

export type PostgresDriver = typeof import('pg').default

/** The codes of `import` and of `require`, to which the bundle turns it. */
const MISSING = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']

/** Loads the driver, an optional dependency that only an installation with a `database_url` needs. */
export async function loadDriver(): Promise<PostgresDriver> {
  try {
    return (await import('pg')).default
  } catch (cause) {
    if (!MISSING.includes(errorCodeOf(cause) ?? '')) throw cause
    throw new OperatorError(
      'driver_missing',
      'the package "pg", by which PostgreSQL is reached, is missing',
      {
        cause,
      },
    )
  }
}
