import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { causeOf, GatewayError } from '../../canonical/failure.ts'
import { applyMigrations } from './apply-migrations.ts'
import { copyBeforeMigration } from './copy-before-migration.ts'
import { openSqlite, type SqliteDatabase } from './open-sqlite.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { UniqueConstraintError } from './store-fault.ts'

const statement = (sql: string, ...parameters: (string | number)[]) => ({ sql, parameters })

async function open(file = join(makeTemporaryFolder(), 'headgate.db')): Promise<SqliteDatabase> {
  const database = await openSqlite(file)
  onTestFinished(() => database.close())
  return database
}

describe('the database file', () => {
  test('has durable settings, and is readable by its owner alone', async () => {
    const file = join(makeTemporaryFolder(), 'headgate.db')
    const database = await open(file)
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'locking_mode', 'temp_store']
    const results = await database.run(
      pragmas.map((name) => statement(`pragma ${name}`)),
      'single',
    )
    expect(results.map(({ rows }) => rows[0])).toEqual([
      { journal_mode: 'wal' },
      { synchronous: 2 },
      { foreign_keys: 1 },
      { locking_mode: 'exclusive' },
      { temp_store: 2 },
    ])
    expect([file, `${file}-wal`].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
      '600',
      '600',
    ])
  })

  test('preserves its content when it is closed and opened again', async () => {
    const file = join(makeTemporaryFolder(), 'headgate.db')
    const before = await open(file)
    await before.run(
      [statement('create table t (a)'), statement('insert into t values (?)', 'kept')],
      'atomic',
    )
    await before.close()
    expect(() => statSync(`${file}-wal`)).toThrow('ENOENT')
    const after = await open(file)
    const [result] = await after.run([statement('select a from t')], 'single')
    expect(result?.rows).toEqual([{ a: 'kept' }])
  })

  test('that is not a database is refused with an error of one line', async () => {
    const file = join(makeTemporaryFolder(), 'headgate.db')
    writeFileSync(file, 'not a database, but long enough to be looked at'.repeat(50))
    await expect(openSqlite(file)).rejects.toThrow(
      `${file} cannot be opened: file is not a database; restore it from a copy`,
    )
  })

  test('in a folder that does not exist is refused with an error of one line', async () => {
    const file = join(makeTemporaryFolder(), 'nowhere', 'headgate.db')
    await expect(openSqlite(file)).rejects.toThrow(`${file} cannot be opened: ENOENT`)
  })
})

describe('statements', () => {
  test('of an atomic batch are committed together or not at all', async () => {
    const database = await open()
    await database.run([statement('create table t (a unique)')], 'atomic')
    const batch = [statement('insert into t values (1)'), statement('insert into t values (1)')]
    await expect(database.run(batch, 'atomic')).rejects.toThrow(UniqueConstraintError)
    const [counted] = await database.run([statement('select count(*) as n from t')], 'single')
    expect(counted?.rows).toEqual([{ n: 0 }])
  })

  test('after closing, or on a full disk, fail with an error that the store cannot be used', async () => {
    const file = join(makeTemporaryFolder(), 'headgate.db')
    const database = await open(file)
    const setUp = ['create table t (a)', 'pragma max_page_count = 3']
    await database.run(
      setUp.map((sql) => statement(sql)),
      'single',
    )
    const big = statement('insert into t values (?)', 'x'.repeat(100_000))
    const full = await database.run([big], 'atomic').catch((error: unknown) => error)
    expect(reasonTold(full)).toBe(`store_unavailable: ${file}: database or disk is full`)
    await database.close()
    await database.close()
    const closed = await database.run([big], 'single').catch((error: unknown) => error)
    expect(reasonTold(closed)).toMatch(/^store_unavailable: .*headgate.db is closed$/)
  })

  test('that were requested before closing are still executed', async () => {
    const file = join(makeTemporaryFolder(), 'headgate.db')
    const database = await open(file)
    const last = database.run([statement('create table t (a)')], 'single')
    const closing = database.close()
    await expect(last).resolves.toEqual([{ rows: [], changes: 0 }])
    await closing
    const [tables] = await (await open(file)).run([statement('select name from sqlite_schema')], 'single')
    expect(tables?.rows).toEqual([{ name: 't' }])
  })
})

test('a Kysely transaction is isolated, and leaves nothing when it fails', async () => {
  const sqlite = await open()
  await sqlite.run([statement('create table t (a integer)')], 'atomic')
  const kysely = new Kysely<{ t: { a: number } }>({ dialect: createSqliteDialect(sqlite) })
  const failing = kysely.transaction().execute(async (transaction) => {
    await transaction.insertInto('t').values({ a: 1 }).execute()
    throw new Error('on purpose')
  })
  const beside = kysely.insertInto('t').values({ a: 2 }).executeTakeFirst()
  await expect(failing).rejects.toThrow('on purpose')
  await expect(beside).resolves.toMatchObject({ numInsertedOrUpdatedRows: 1n })
  expect(await kysely.selectFrom('t').select('a').execute()).toEqual([{ a: 2 }])
})

test('a Kysely transaction on a full disk fails with that error, and not with that of its rollback', async () => {
  const sqlite = await open()
  const setUp = ['create table t (a text)', 'pragma max_page_count = 3']
  await sqlite.run(
    setUp.map((sql) => statement(sql)),
    'single',
  )
  const kysely = new Kysely<{ t: { a: string } }>({ dialect: createSqliteDialect(sqlite) })
  const insert = (a: string) =>
    kysely.transaction().execute((transaction) => transaction.insertInto('t').values({ a }).execute())
  const full = await insert('x'.repeat(100_000)).catch((error: unknown) => error)
  expect(reasonTold(full)).toMatch(/^store_unavailable: .*headgate\.db: database or disk is full$/)
  await insert('small')
  expect(await kysely.selectFrom('t').select('a').execute()).toEqual([{ a: 'small' }])
})

test('the error for a damaged file names the file and the remedy', async () => {
  const file = join(makeTemporaryFolder(), 'headgate.db')
  const before = await open(file)
  await before.run([statement('create table t (a)')], 'single')
  await before.run(
    Array.from({ length: 20 }, () => statement('insert into t values (?)', 'x'.repeat(3_000))),
    'atomic',
  )
  await before.close()
  const PAGE_BYTES = 4_096
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0x5a, PAGE_BYTES))
  const damaged = await open(file)
  const fault = await damaged.run([statement('select * from t')], 'single').catch((error: unknown) => error)
  expect(reasonTold(fault)).toBe(
    `store_unavailable: ${file}: database disk image is malformed; restore it from a copy`,
  )
})

describe('migrations', () => {
  const steps = [
    { name: 'first', statements: ['create table t (a)'] },
    { name: 'second', statements: ['insert into t values (1)', 'insert into nowhere values (1)'] },
  ]

  test('run once each, and a step that fails leaves nothing behind', async () => {
    const database = await open()
    await applyMigrations(database, steps.slice(0, 1))
    await applyMigrations(database, steps.slice(0, 1))
    await expect(applyMigrations(database, steps)).rejects.toThrow(GatewayError)
    const [rows, applied] = await database.run(
      [statement('select * from t'), statement('select number, name from migrations')],
      'single',
    )
    expect(rows?.rows).toEqual([])
    expect(applied?.rows).toEqual([{ number: 1, name: 'first' }])
  })

  test('of a new database are applied together, or not at all', async () => {
    const database = await open()
    await expect(applyMigrations(database, steps)).rejects.toThrow(GatewayError)
    const [tables, applied] = await database.run(
      [
        statement("select name from sqlite_schema where type = 'table' and name <> 'migrations'"),
        statement('select number from migrations'),
      ],
      'single',
    )
    expect([tables?.rows, applied?.rows]).toEqual([[], []])
  })

  test('copy existing data before they change it, and leave only the copy of the last upgrade', async () => {
    const folder = makeTemporaryFolder()
    const file = join(folder, 'headgate.db')
    const database = await open(file)
    const copyBefore = copyBeforeMigration(file, database.copyTo)
    const three = ['create table t (a)', 'insert into t values (1)', 'insert into t values (2)'].map(
      (sql, index) => ({ name: `step ${index + 1}`, statements: [sql] }),
    )
    for (const count of [1, 2, 3, 3]) await applyMigrations(database, three.slice(0, count), copyBefore)
    const copies = readdirSync(folder).filter((name) => name.includes('before-upgrade'))
    expect(copies).toEqual(['headgate.db.before-upgrade-2'])
    const path = join(folder, 'headgate.db.before-upgrade-2')
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    const [rows] = await (await open(path)).run([statement('select a from t')], 'single')
    expect(rows?.rows).toEqual([{ a: 1 }])
  })

  test('change nothing if the copy fails', async () => {
    const database = await open()
    await applyMigrations(database, steps.slice(0, 1))
    const failing = async () => Promise.reject(new Error('no room'))
    await expect(applyMigrations(database, steps, failing)).rejects.toThrow('no room')
    const [applied] = await database.run([statement('select number from migrations')], 'single')
    expect(applied?.rows).toEqual([{ number: 1 }])
  })

  test('refuse a database that is newer than the code', async () => {
    const database = await open()
    await applyMigrations(database, [
      { name: 'first', statements: [] },
      { name: 'second', statements: [] },
    ])
    await expect(applyMigrations(database, steps.slice(0, 1))).rejects.toThrow(
      'the database was written by a newer Headgate (version 2 of its tables, this one knows 1)',
    )
  })
})

const inserter = new URL('../../../test/support/insert-keys.ts', import.meta.url).pathname

async function startInserter(file: string) {
  const child = spawn(process.execPath, [inserter, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.setEncoding('utf8')
  return child
}

describe('two processes', () => {
  test('cannot own one file, and the error of the second names the file', async () => {
    const file = join(makeTemporaryFolder(), 'headgate.db')
    const child = await startInserter(file)
    await once(child.stdout, 'data')
    await expect(openSqlite(file)).rejects.toThrow(
      `${file} is in use by another Headgate process; a data folder belongs to one process at a time, so choose another with --data`,
    )
  })

  test('lose no acknowledged key when one of them is killed at any moment', async () => {
    const file = join(makeTemporaryFolder(), 'headgate.db')
    for (const wantedLines of [1, 7, 23]) {
      const acknowledged = await killAfterLines(file, wantedLines)
      const database = await openSqlite(file)
      const [stored] = await database.run([statement('select id from keys')], 'single')
      await database.close()
      expect(stored?.rows).toEqual(expect.arrayContaining(acknowledged.map((id) => ({ id }))))
    }
  })
})

/** Kills the child in the middle of its work; answers with the ids that it had called durable until then. */
async function killAfterLines(file: string, wantedLines: number): Promise<string[]> {
  const child = await startInserter(file)
  let output = ''
  child.stdout.on('data', (text: string) => {
    output += text
    if (output.split('\n').length > wantedLines) child.kill('SIGKILL')
  })
  await once(child, 'close')
  const lines = output.split('\n').slice(0, -1)
  expect(lines.length).toBeGreaterThanOrEqual(wantedLines)
  return lines
}

function reasonTold(error: unknown): string {
  return error instanceof GatewayError ? `${error.failure.code}: ${causeOf(error)}` : String(error)
}
