import { OperatorError } from '../../canonical/operator-error.ts'
import { DamagedStoreError } from './damaged-store-error.ts'
import { type Migration, migrations } from './migrations.ts'
import type { SqliteRunner } from './open-sqlite.ts'
import type { SqliteStatement } from './sqlite-protocol.ts'

/**
 * Migrates the tables to the code's version, each migration in a transaction. A new database gets all of them in one
 * transaction, because each transaction waits for the disk. Refuses tables newer than the code. Before non-empty tables
 * are changed, `copyBefore` is called with their version. If it fails, nothing is changed.
 */
export async function applyMigrations(
  database: SqliteRunner,
  steps: readonly Migration[] = migrations,
  copyBefore?: (version: number) => Promise<void>,
): Promise<void> {
  const applied = await readVersion(database)
  if (applied > steps.length) {
    throw new OperatorError(
      'database_newer',
      `the database was written by a newer Headgate (version ${applied} of its tables, this one knows ${steps.length})`,
    )
  }
  const pending = steps.slice(applied).map((step, index) => statementsOf(step, applied + index + 1))
  if (pending.length === 0) return
  if (applied === 0) {
    await database.run(pending.flat(), 'atomic')
    return
  }
  await copyBefore?.(applied)
  for (const statements of pending) await database.run(statements, 'atomic')
}

/** The statements of a migration, and the one that records it. */
function statementsOf({ name, statements }: Migration, number: number): readonly SqliteStatement[] {
  const record = { sql: 'insert into migrations (number, name) values (?, ?)', parameters: [number, name] }
  return [...statements.map((sql) => ({ sql, parameters: [] })), record]
}

async function readVersion(database: SqliteRunner): Promise<number> {
  const [, latest] = await database.run(
    [
      {
        sql: 'create table if not exists migrations (number integer primary key, name text not null) strict',
        parameters: [],
      },
      { sql: 'select coalesce(max(number), 0) as version from migrations', parameters: [] },
    ],
    'single',
  )
  const row = latest?.rows[0]
  if (typeof row === 'object' && row !== null && 'version' in row && typeof row.version === 'number') {
    return row.version
  }
  throw new DamagedStoreError('the table of migrations cannot be read')
}
