import { Kysely } from 'kysely'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { CaptureStore } from '../../capture/capture-store.ts'
import type { DatabaseSettings } from '../../config/database-schema.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { createSqlAlertStore } from '../alert-store-sql.ts'
import { createSqlAuditStore } from '../audit-sql.ts'
import { type CaptureDatabase, createSqlCaptureStore } from '../capture-store-sql.ts'
import { createSqlCertificationStore } from '../certification-sql.ts'
import { createSqlConfigDraftStore } from '../config-draft-sql.ts'
import { createSqlConfigVersionStore } from '../config-version-sql.ts'
import { createSqlCreditStore } from '../credit-store-sql.ts'
import { createSqlHealthStore } from '../health-store-sql.ts'
import { createSqlKeyStore } from '../key-store-sql.ts'
import { type OpenedKeyStore, openSealedStores } from '../open-key-store.ts'
import { createSqlPeopleStores } from '../people/people-stores-sql.ts'
import type { Tables } from '../tables.ts'
import { createSharedIdempotencyStore } from './idempotency-postgres.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { applyPostgresMigrations, requireKnownTables } from './postgres-migrations.ts'

/** The timeout for migrating the tables, and for waiting while another node does so. */
const MIGRATION_WITHIN_MS = 10 * MINUTE_MS

/** Connects to the database and migrates its tables. Throws an error for the operator. */
export async function connectDatabase(settings: DatabaseSettings): Promise<PostgresDatabase> {
  const random = systemRandom
  const chance = () => (random.bytes(1)[0] ?? 0) / 256
  const open = (statementTimeoutMs: number) =>
    openPostgres({ settings: { ...settings, statementTimeoutMs }, clock: systemClock, chance })
  const patient = await open(Math.max(settings.statementTimeoutMs, MIGRATION_WITHIN_MS))
  try {
    await requireEncoding(patient)
    await requireKnownTables(patient, settings.schema)
    await applyPostgresMigrations(patient, settings.schema)
  } catch (error) {
    throw describeAway(error, settings.name)
  } finally {
    await patient.close()
  }
  return open(settings.statementTimeoutMs)
}

/**
 * Refuses a database that cannot hold every text. One character of a caller that it lacks would stop the whole ledger.
 */
export async function requireEncoding(database: PostgresDatabase): Promise<void> {
  const { rows } = await database.query("select current_setting('server_encoding') as encoding")
  const encoding = String(rows[0]?.['encoding'])
  if (encoding === 'UTF8') return
  throw new OperatorError('database_encoding', `the database ${database.name} has the encoding ${encoding}`)
}

/** Refuses a role that cannot make tables in the schema, or the schema itself where there is none. */
export async function requireRights(database: PostgresDatabase, schema: string): Promise<void> {
  const { rows } = await database.query(
    `select case when exists (select from pg_namespace where nspname = $1)
       then has_schema_privilege($1::text, 'create')
       else has_database_privilege(current_database(), 'create') end as is_allowed`,
    [schema],
  )
  if (rows[0]?.['is_allowed'] === true) return
  const message = `the database ${database.name}: this role may not make tables in the schema ${schema}`
  throw new OperatorError('database_away', message, { advice: rightsAdvice })
}

/** Describes a database fault as an error for the operator. */
export function describeAway(error: unknown, name: string): OperatorError {
  if (error instanceof OperatorError) return error
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = errorCodeOf(cause) ?? ''
  const message = `the database ${name}: ${reasonOf(cause)}`
  if (foreignTables.includes(code)) return new OperatorError('foreign_tables', message, { cause })
  const advice = adviceFor(code)
  return new OperatorError('database_away', message, advice === undefined ? { cause } : { cause, advice })
}

/** The advice for an error code, where it differs from that of a database that is away. */
function adviceFor(code: string): string | undefined {
  if (code === INSUFFICIENT_PRIVILEGE) return rightsAdvice
  return untrusted.test(code) ? trustAdvice : undefined
}

// https://www.postgresql.org/docs/18/errcodes-appendix.html, seen 2026-11-24
const INSUFFICIENT_PRIVILEGE = '42501'
const rightsAdvice =
  'make the role the owner of the database or of the schema, with "create schema … authorization …"'

/** `duplicate_table` and `undefined_column`, of tables that have the names of Headgate's. */
const foreignTables = ['42P07', '42703']

/** Node's error codes for an untrusted certificate. */
const untrusted = /^(ERR_TLS_CERT|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/
const trustAdvice =
  'name the authority that vouches for the database in database.ca_file, for "headgate migrate" with --ca-file, and the database by the name in its certificate'

/** The store of captures of all nodes. */
export function createPostgresCaptures(database: PostgresDatabase, mayPrune: () => boolean): CaptureStore {
  const queries = new Kysely<CaptureDatabase>({ dialect: createPostgresDialect(database, 'side-by-side') })
  const store = createSqlCaptureStore(queries, async () => undefined)
  return {
    ...store,
    async prune(limits) {
      if (mayPrune()) await store.prune(limits)
    },
  }
}

export interface SharedStoreOptions {
  readonly epoch: () => Epoch
  /** Whether this node is the one that deletes expired data. */
  readonly mayPrune: () => boolean
}

/** The small stores in PostgreSQL. They use the same queries as SQLite. */
export function createPostgresStores(
  database: PostgresDatabase,
  { epoch, mayPrune }: SharedStoreOptions,
): Omit<OpenedKeyStore, 'close'> {
  const inTurn = new Kysely<Tables>({ dialect: createPostgresDialect(database, 'in-turn') })
  const sideBySide = new Kysely<Tables>({ dialect: createPostgresDialect(database, 'side-by-side') })
  return {
    store: createSqlKeyStore(inTurn),
    configVersions: createSqlConfigVersionStore(inTurn),
    health: createSqlHealthStore(sideBySide),
    audit: createSqlAuditStore(inTurn),
    credits: createSqlCreditStore(inTurn),
    people: createSqlPeopleStores(inTurn),
    alerts: createSqlAlertStore(inTurn),
    configDrafts: createSqlConfigDraftStore(inTurn),
    certifications: createSqlCertificationStore(inTurn),
    async copyTo() {
      throw new OperatorError('not_with_postgres', 'a backup of the data folder does not hold the database')
    },
    async openSealedStores(sealing) {
      const opened = await openSealedStores(sideBySide, sealing)
      const answers = opened.idempotency
      return { ...opened, idempotency: createSharedIdempotencyStore({ database, answers, epoch, mayPrune }) }
    },
  }
}
