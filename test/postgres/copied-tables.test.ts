import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { copyTables, readTable } from '../../src/storage/migrate/copy-tables.ts'
import { readColumns } from '../../src/storage/migrate/insert-columns.ts'
import { openSourceFolder } from '../../src/storage/migrate/source-folder.ts'
import {
  CAPTURES_TABLE,
  copiedTables,
  type TableDecision,
  tableDecisions,
  tablesWithoutSource,
} from '../../src/storage/migrate/table-decisions.ts'
import { verifyCopy } from '../../src/storage/migrate/verify-copy.ts'
import { openCaptureStore } from '../../src/storage/open-capture-store.ts'
import { openKeyStore } from '../../src/storage/open-key-store.ts'
import { openRequestLog } from '../../src/storage/request-log/open-request-log.ts'
import { openLedgerFile } from '../support/ledger-file.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()

/** A data folder with all tables and no rows. */
async function makeFolder(): Promise<string> {
  const { folder, database } = await openLedgerFile()
  database.close()
  await (await openKeyStore(folder)).close()
  await (await openRequestLog(folder)).close()
  await (await openCaptureStore(folder)).close()
  return folder
}

test('every table of a data folder has a decision, and every decision has a table', async () => {
  const folder = await makeFolder()
  for (const [name, decisions] of Object.entries(tableDecisions)) {
    const database = new DatabaseSync(join(folder, name), { readOnly: true })
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all()
    database.close()
    expect(Object.keys(decisions).toSorted(), name).toEqual(
      tables.map((row) => String(row['name'])).toSorted(),
    )
  }
})

test('every table of PostgreSQL is a target of the copy, or has a reason why not', async () => {
  const { rows } = await shared.current.database.query(
    `select relname from pg_class where relnamespace = 'headgate'::regnamespace and relkind in ('r', 'p')
       and not relispartition`,
  )
  const decisions: readonly TableDecision[] = Object.values(tableDecisions).flatMap((each) =>
    Object.values(each),
  )
  const into = decisions.flatMap((each) => (each.type === 'converted' ? each.into : []))
  const known = new Set([...copiedTables, CAPTURES_TABLE, ...into, ...Object.keys(tablesWithoutSource)])
  expect([...known].toSorted()).toEqual(rows.map(({ relname }) => String(relname)).toSorted())
})

/** Values of columns that take few. */
const allowed: Readonly<Record<string, string | null>> = {
  'keys.origin': 'made',
  'config_versions.action': 'change',
  'stored_responses.absent': 'off',
  'budget_changes.type': 'raise',
  'users.role': 'member',
  'tokens.user_id': null,
  'links.type': 'reset',
  'remote_objects.type': 'file',
  'authorizations.purpose': 'join',
}

function fill(database: DatabaseSync, table: string, number: number): void {
  const columns = database.prepare('select name, type from pragma_table_info(?)').all(table)
  const values = columns.map(({ name, type }) => {
    const fixed = allowed[`${table}.${String(name)}`]
    if (fixed !== undefined) return fixed
    if (table === 'health' && name === 'id') return 1
    if (type === 'INTEGER') return number
    return type === 'BLOB' ? Buffer.from([number, 0, 255]) : `${String(name)} "ä" \\ ${number}`
  })
  database.prepare(`insert into ${table} values (${values.map(() => '?').join(', ')})`).run(...values)
}

test('the rows of every small table are copied with all their values', async () => {
  const folder = await makeFolder()
  const written = new DatabaseSync(join(folder, 'headgate.db'))
  for (const table of copiedTables)
    for (const number of table === 'health' ? [1] : [1, 2]) fill(written, table, number)
  written.close()
  const captured = new DatabaseSync(join(folder, 'captures.db'))
  fill(captured, CAPTURES_TABLE, 1)
  captured.close()
  const { database } = shared.current
  const source = openSourceFolder(folder)
  try {
    await copyTables(source, database)
    for (const table of copiedTables) {
      const columns = await readColumns(database, table)
      const { rows } = await database.query(
        `select ${columns.map(({ name }) => name).join(', ')} from ${table}`,
      )
      const textOf = (value: unknown) => (value === null || Buffer.isBuffer(value) ? value : String(value))
      const copied = rows.map((row) => columns.map(({ name }) => textOf(row[name])))
      expect(copied, table).toEqual([...readTable(source.keys, { table, columns })])
    }
    const captures = await database.query('select count(*) as rows from captures')
    expect(captures.rows).toEqual([{ rows: 1 }])
    expect(await verifyCopy(source, database)).toMatchObject({ differences: [] })
  } finally {
    source.close()
  }
})
