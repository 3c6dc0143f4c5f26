import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createMutex } from '../../kit/async/create-mutex.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { SqliteRunner } from './open-sqlite.ts'
import type { SqliteValue } from './sqlite-protocol.ts'

/** Runs Kysely's queries in the thread that owns the file. The owner of the file closes it, not Kysely. */
export function createSqliteDialect(database: SqliteRunner): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/**
 * There is only one connection, and its holder has exclusive use of it, so that the statements of a transaction stay
 * together.
 */
function createDriver(database: SqliteRunner): Driver {
  const mutex = createMutex()
  const releases = new WeakMap<DatabaseConnection, () => void>()
  const command = async (sql: string): Promise<void> => {
    await database.run([{ sql, parameters: [] }], 'single')
  }
  return {
    init: async () => undefined,
    async acquireConnection() {
      const release = await mutex.acquire()
      const connection = createConnection(database)
      releases.set(connection, release)
      return connection
    },
    beginTransaction: () => command('begin immediate'),
    commitTransaction: () => command('commit'),
    rollbackTransaction: () => command('rollback'),
    releaseConnection: async (connection) => releases.get(connection)?.(),
    destroy: async () => undefined,
  }
}

function createConnection(database: SqliteRunner): DatabaseConnection {
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const [result] = await database.run([{ sql, parameters: parameters.map(readParameter) }], 'single')
      // Kysely derives the row type from the query; nothing verifies it here.
      const rows = (result?.rows ?? []) as Row[]
      return { rows, numAffectedRows: BigInt(result?.changes ?? 0) }
    },
    streamQuery() {
      throw new InvariantError('SQLite results are not streamed; page through them')
    },
  }
}

function readParameter(value: unknown): SqliteValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'bigint' || value instanceof Uint8Array) return value
  throw new InvariantError(`SQLite cannot store a ${typeof value}`)
}
