import type { PoolConfig } from 'pg'
import type { DatabaseSettings } from '../../config/database-schema.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { PostgresDriver } from './load-driver.ts'

/** The extra time beyond a statement's own timeout, after which the server is considered unresponsive. */
const ANSWER_WITHIN_MS = 1_000
const IDLE_CONNECTION_MS = MINUTE_MS
const KEEP_ALIVE_AFTER_MS = 10_000

// https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat, seen 2026-11-24
const INT8 = 20

/** The settings of one connection. */
export function createConnectionConfig(settings: DatabaseSettings, driver: PostgresDriver): PoolConfig {
  const { statementTimeoutMs, connectTimeoutMs, schema, tls, ...server } = settings
  return {
    host: server.host,
    port: server.port,
    user: server.user,
    password: server.password,
    database: server.database,
    application_name: 'headgate',
    // A role or a database may have another default, at which concurrent changes are refused.
    options: `-c search_path=${schema} -c default_transaction_isolation=read\\ committed`,
    ssl: tls.type === 'off' ? false : { rejectUnauthorized: tls.type === 'verified', ca: tls.ca },
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 2 * statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_WITHIN_MS,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: {
      // Only a sum near its limit exceeds what JavaScript holds exactly. A `sum()` is `numeric`, which arrives as text.
      getTypeParser: (oid, format) => (oid === INT8 ? Number : driver.types.getTypeParser(oid, format)),
    },
  }
}

export function createPoolConfig(settings: DatabaseSettings, driver: PostgresDriver): PoolConfig {
  return {
    ...createConnectionConfig(settings, driver),
    max: settings.connections,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  }
}
