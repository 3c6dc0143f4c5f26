import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { PostgresDatabase, ReservedConnection } from './open-postgres.ts'

/**
 * The order of transactions among each other. `in-turn`: they follow one another on all nodes, as they do in SQLite, so
 * that what one has read is still so when it writes. `side-by-side`: for those that write only their own rows.
 */
export type TransactionOrder = 'in-turn' | 'side-by-side'

/** The number of the lock that transactions in turn hold: "head" in ASCII, and 1. */
const TURN_LOCK = 0x68656164_01

/** Kysely's queries, run by a pool. Its owner closes the pool, not Kysely. */
export function createPostgresDialect(database: PostgresDatabase, order: TransactionOrder): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(database, order),
    createIntrospector: (queries) => new PostgresIntrospector(queries),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function createDriver(database: PostgresDatabase, order: TransactionOrder): Driver {
  const reserved = new WeakMap<DatabaseConnection, ReservedConnection>()
  const run = async (connection: DatabaseConnection, sql: string): Promise<void> =>
    void (await reserved.get(connection)?.query(sql))
  return {
    init: async () => undefined,
    async acquireConnection() {
      const own = await database.reserve()
      const connection = createConnection(own)
      reserved.set(connection, own)
      return connection
    },
    async beginTransaction(connection) {
      await run(connection, 'begin')
      if (order === 'in-turn') await run(connection, `select pg_advisory_xact_lock(${TURN_LOCK})`)
    },
    commitTransaction: (connection) => run(connection, 'commit'),
    rollbackTransaction: (connection) => run(connection, 'rollback'),
    releaseConnection: async (connection) => reserved.get(connection)?.release(),
    destroy: async () => undefined,
  }
}

function createConnection(own: ReservedConnection): DatabaseConnection {
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, count } = await own.query(sql, parameters)
      // Kysely knows the row's type from the query and asks for it on trust.
      return { rows: rows as Row[], numAffectedRows: BigInt(count) }
    },
    streamQuery() {
      throw new InvariantError('results are not streamed; page through them')
    },
  }
}
