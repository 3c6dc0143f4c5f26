import { OperatorError } from '../../canonical/operator-error.ts'
import type { PostgresDatabase, PostgresQueries } from './open-postgres.ts'
import { isLocked } from './postgres-fault.ts'
import { failedAttemptTables } from './tables/failed-attempt-tables.ts'
import { folderCopyTables } from './tables/folder-copy-tables.ts'
import { initialTables } from './tables/initial-tables.ts'
import {
  remoteObjectProviderIds,
  remoteObjectTables,
  remoteObjectTypes,
} from './tables/remote-object-tables.ts'
import { requestLogTables } from './tables/request-log-tables.ts'
import { nodeEventTables, sharedWorkTables } from './tables/shared-work-tables.ts'

/** One migration of the tables. It never changes once it is released; a later migration corrects a mistake. */
export interface PostgresMigration {
  readonly name: string
  readonly statements: readonly string[]
  /**
   * The number of migrations that a process must know to work with the tables after this one. Nodes of the previous
   * version continue to run during an upgrade, so this is at most the number of that version's last migration.
   */
  readonly knownBy: number
}

/** The migrations in order. The position in the list, from 1, is the migration's number. */
export const postgresMigrations: readonly PostgresMigration[] = [
  { name: 'initial', statements: initialTables, knownBy: 1 },
  { name: 'request log', statements: requestLogTables, knownBy: 1 },
  { name: 'shared work', statements: sharedWorkTables, knownBy: 1 },
  { name: 'remote objects', statements: remoteObjectTables, knownBy: 1 },
  { name: 'folder copy', statements: folderCopyTables, knownBy: 1 },
  {
    name: 'key passthrough',
    statements: ["alter table keys add column passthrough text not null default '[]'"],
    knownBy: 1,
  },
  { name: 'remote object types', statements: remoteObjectTypes, knownBy: 1 },
  { name: 'remote object provider ids', statements: remoteObjectProviderIds, knownBy: 1 },
  { name: 'node events', statements: nodeEventTables, knownBy: 1 },
  { name: 'failed attempts', statements: failedAttemptTables, knownBy: 1 },
]

/** The number of the lock that a node holds while it changes tables: "head" in ASCII, and 2. */
export const MIGRATION_LOCK = 0x68656164_02
/**
 * The lock timeout. Requests of other nodes queue behind a node that waits for a table lock, and are refused after 2
 * s.
 */
const TABLE_LOCK_WITHIN_MS = 1_000
/** The pause before the next try, in which those requests continue. */
const PAUSE_SECONDS = 0.5
const MAX_LOCK_TRIES = 40

/** Migrates the tables to the code's version, one node at a time. Refuses tables of a newer version than the code. */
export async function applyPostgresMigrations(
  database: PostgresDatabase,
  schema: string,
  steps: readonly PostgresMigration[] = postgresMigrations,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyOnce(database, schema, steps)
    } catch (error) {
      if (tries === MAX_LOCK_TRIES || !(error instanceof Error) || !isLocked(error.cause)) throw error
      await database.query('select pg_sleep($1)', [PAUSE_SECONDS])
    }
  }
}

function applyOnce(
  database: PostgresDatabase,
  schema: string,
  steps: readonly PostgresMigration[],
): Promise<void> {
  return database.transaction(async (queries) => {
    await queries.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    // Nodes of the previous version continue to serve.
    await queries.query(`set local lock_timeout = ${TABLE_LOCK_WITHIN_MS}`)
    // A database user without the right to create schemas needs an existing schema.
    const found = await queries.query('select 1 from pg_namespace where nspname = $1', [schema])
    if (found.count === 0) await queries.query(`create schema ${schema}`)
    await queries.query(
      'create table if not exists migrations (number integer primary key, name text not null, known_by integer not null)',
    )
    const applied = await readApplied(queries)
    requireKnown(applied, steps)
    for (const [index, { name, statements, knownBy }] of steps.entries()) {
      if (index < applied.length) continue
      for (const statement of statements) await queries.query(statement)
      const record = 'insert into migrations (number, name, known_by) values ($1, $2, $3)'
      await queries.query(record, [index + 1, name, knownBy])
    }
  })
}

type Applied = readonly { readonly knownBy: number }[]

async function readApplied(queries: PostgresQueries): Promise<Applied> {
  const { rows } = await queries.query('select known_by from migrations order by number')
  return rows.map(({ known_by }) => ({ knownBy: Number(known_by) }))
}

function requireKnown(applied: Applied, steps: readonly PostgresMigration[]): void {
  const needed = Math.max(0, ...applied.map(({ knownBy }) => knownBy))
  if (needed > steps.length)
    throw new OperatorError(
      'database_newer',
      `the database was written by a newer Headgate (version ${applied.length} of its tables, this one knows ${steps.length})`,
    )
}

const ownTables = postgresMigrations.flatMap(({ statements }) =>
  statements.flatMap((statement) => /^create (?:unlogged )?table (\w+)/.exec(statement)?.[1] ?? []),
)

/** Refuses, without a change, tables that cannot be migrated: those of a newer version or of another program. */
export async function requireKnownTables(database: PostgresDatabase, schema: string): Promise<void> {
  const found = await database.query(
    'select relname from pg_class where relnamespace = to_regnamespace($1) and relname = any($2)',
    [schema, ownTables.concat('migrations')],
  )
  const names = found.rows.map(({ relname }) => String(relname))
  if (names.includes('migrations')) return requireKnown(await readApplied(database), postgresMigrations)
  if (names.length === 0) return
  const happened = `the database ${database.name}: the schema ${schema} has the table ${names[0]} of another program`
  throw new OperatorError('foreign_tables', happened)
}
