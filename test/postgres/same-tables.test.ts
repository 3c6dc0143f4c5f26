import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { captureMigrations } from '../../src/storage/capture-store-sql.ts'
import { requestLogMigrations } from '../../src/storage/request-log/request-log-tables.ts'
import { type Migration, migrations } from '../../src/storage/sqlite/migrations.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of each unique key, sorted. */
  readonly unique: readonly string[]
}

/** Tables that processes with a data folder of their own do not need, and states that each database has its own. */
const onlyPostgres = [
  'background_work',
  'budget_leases',
  'budget_windows',
  'changes',
  'idempotent_claims',
  'ledger_intents',
  'folder_copy',
  'folder_copy_hours',
  'ledger_rows',
  'nodes',
  'node_events',
  'rate_shares',
  'request_days',
  'request_log_state',
  'usage_pruned',
  'usage_subjects',
  'usage_sums',
  'usage_tools',
  'migrations',
  'traffic_state',
]
const onlySqlite = ['traffic_state']

function readSqlite(list: readonly Migration[]): readonly Table[] {
  using database = new DatabaseSync(':memory:')
  for (const { statements } of list) for (const statement of statements) database.exec(statement)
  const names = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name))
  return names.map((name) => {
    const info = database.prepare(`pragma table_info(${name})`).all()
    const keys = database
      .prepare(`pragma index_list(${name})`)
      .all()
      .filter(({ unique }) => unique === 1)
    const indexed = keys.map(({ name: index }) =>
      database
        .prepare(`pragma index_info(${String(index)})`)
        .all()
        .map((column) => String(column['name'])),
    )
    const primary = info.filter(({ pk }) => Number(pk) > 0).map((column) => String(column['name']))
    return {
      name,
      columns: info.map((column) => String(column['name'])).sort(),
      unique: listKeys([...indexed, primary]),
    }
  })
}

async function readPostgres(): Promise<readonly Table[]> {
  const { database } = shared.current
  const columns = await database.query(
    `select table_name, column_name from information_schema.columns
     where table_schema = 'headgate' and table_name !~ '^requests_\\d' order by 1, 2`,
  )
  const keys = await database.query(
    `select c.relname as table_name, array_agg(a.attname::text) as columns
     from pg_index as i join pg_class as c on c.oid = i.indrelid
       join pg_attribute as a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where i.indisunique and c.relnamespace = 'headgate'::regnamespace group by c.relname, i.indexrelid`,
  )
  const byTable = Map.groupBy(columns.rows, (row) => String(row['table_name']))
  return [...byTable].map(([name, rows]) => ({
    name,
    columns: rows.map((row) => String(row['column_name'])).sort(),
    unique: listKeys(
      keys.rows.flatMap((row) =>
        row['table_name'] === name && Array.isArray(row['columns']) ? [row['columns'].map(String)] : [],
      ),
    ),
  }))
}

function listKeys(keys: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(keys.map((key) => [...key].sort().join('+')))].filter((key) => key !== '').sort()
}

test('PostgreSQL has the tables, columns and unique keys of SQLite', async () => {
  const sqlite = [migrations, requestLogMigrations, captureMigrations].flatMap(readSqlite)
  const postgres = await readPostgres()
  const common = (tables: readonly Table[], except: readonly string[]) =>
    tables.filter(({ name }) => !except.includes(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  expect(common(postgres, onlyPostgres)).toEqual(common(sqlite, onlySqlite))
})
