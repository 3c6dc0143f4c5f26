import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite, sqliteThread } from './open-sqlite.ts'
import { loadThread, type ProgramThread } from './program-thread.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-program-thread-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A thread that its users only release, so that others can use it after them. */
async function loadSharedThread(): Promise<ProgramThread> {
  const { worker, release } = await loadThread(sqliteThread)
  onTestFinished(release)
  return { worker, release: async () => undefined }
}

const readOne = { sql: 'select count(*) as n from t', parameters: [] }

async function openWithRows(file: string, thread: ProgramThread, rows: number) {
  const database = await openSqlite(file, thread)
  const inserts = Array.from({ length: rows }, () => ({ sql: 'insert into t values (1)', parameters: [] }))
  await database.run([{ sql: 'create table t (a)', parameters: [] }, ...inserts], 'atomic')
  return database
}

test('a thread opens another file after it has closed one', async () => {
  const folder = makeFolder()
  const thread = await loadSharedThread()
  const first = await openWithRows(join(folder, 'a.db'), thread, 1)
  await first.close()
  const second = await openWithRows(join(folder, 'b.db'), thread, 2)
  expect((await second.run([readOne], 'single'))[0]?.rows).toEqual([{ n: 2 }])
  await second.close()
})

test('a thread serves two files at a time', async () => {
  const folder = makeFolder()
  const thread = await loadSharedThread()
  const first = await openWithRows(join(folder, 'a.db'), thread, 1)
  const second = await openWithRows(join(folder, 'b.db'), thread, 2)
  await first.close()
  await expect(first.run([readOne], 'single')).rejects.toThrow('store cannot be used')
  expect((await second.run([readOne], 'single'))[0]?.rows).toEqual([{ n: 2 }])
  await second.close()
})

test('a thread that cannot open a file opens the next one', async () => {
  const folder = makeFolder()
  const thread = await loadSharedThread()
  await expect(openSqlite(join(folder, 'no-such-folder', 'a.db'), thread)).rejects.toThrow('a.db')
  const database = await openWithRows(join(folder, 'b.db'), thread, 1)
  expect((await database.run([readOne], 'single'))[0]?.rows).toEqual([{ n: 1 }])
  await database.close()
})

test('a file whose thread ends while it is opened is an error for the operator, which names the file', async () => {
  const program = `require('node:worker_threads').parentPort.once('message', () => process.exit(1))`
  const worker = new Worker(program, { eval: true })
  const thread = { worker, release: async () => undefined }
  await expect(openSqlite(join(makeFolder(), 'a.db'), thread)).rejects.toMatchObject({
    code: 'database_unusable',
    happened: expect.stringMatching(/a\.db cannot be opened: its thread has ended$/),
  })
})

test('the end of a thread ends each of its files', async () => {
  const folder = makeFolder()
  const thread = await loadSharedThread()
  const first = await openWithRows(join(folder, 'a.db'), thread, 1)
  const second = await openWithRows(join(folder, 'b.db'), thread, 1)
  await thread.worker.terminate()
  await expect(first.run([readOne], 'single')).rejects.toThrow('store cannot be used')
  await expect(second.run([readOne], 'single')).rejects.toThrow('store cannot be used')
})
