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
 * The isolation of transactions. `in-turn`: they run one after the other across all nodes, as in SQLite, so that data
 * that a transaction has read is still valid when it writes. `side-by-side`: for transactions that write only their
 * own rows.
 */
export type TransactionOrder = 'in-turn' | 'side-by-side'

/** The number of the lock that transactions hold with `in-turn`: "head" in ASCII, and 1. */
const TURN_LOCK = 0x68656164_01

/** Runs Kysely's queries on a pool. The owner of the pool closes it, not Kysely. */
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
      if (order === 'side-by-side') return
      try {
        await run(connection, `select pg_advisory_xact_lock(${TURN_LOCK})`)
      } catch (error) {
        // Kysely rolls nothing back here, and the next user of the connection would be in this transaction. If this
        // fails, the connection is lost, and is not used again.
        await run(connection, 'rollback').catch(() => undefined)
        throw error
      }
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
      // Kysely derives the row type from the query; nothing verifies it here.
      return { rows: rows as Row[], numAffectedRows: BigInt(count) }
    },
    streamQuery() {
      throw new InvariantError('results are not streamed; page through them')
    },
  }
}
