import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite, sqliteThread } from './open-sqlite.ts'
import { loadThread } from './program-thread.ts'
import { ThreadsAhead } from './threads-ahead.ts'

test('a preloaded thread opens a file, and is handed out once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-threads-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const threads = new ThreadsAhead([sqliteThread])
  const loaded = threads.claim(sqliteThread)
  expect(threads.claim(sqliteThread)).toBeUndefined()
  const database = await openSqlite(join(folder, 'a.db'), loaded)
  await threads.close()
  const [result] = await database.run([{ sql: 'select 1 as one', parameters: [] }], 'single')
  expect(result?.rows).toEqual([{ one: 1 }])
  await database.close()
})

test('an unused preloaded thread is ended', async () => {
  let ended = false
  const threads = new ThreadsAhead([sqliteThread], async (program) => {
    const thread = await loadThread(program)
    thread.worker.once('exit', () => {
      ended = true
    })
    return thread
  })
  await threads.close()
  expect([ended, threads.claim(sqliteThread)]).toEqual([true, undefined])
})

test('a program that does not load fails for the caller that claims it', async () => {
  const missing = { script: new URL('./no-such-worker.ts', import.meta.url) }
  const threads = new ThreadsAhead([missing])
  await expect(threads.claim(missing)).rejects.toThrow('no-such-worker')
  await threads.close()
})
