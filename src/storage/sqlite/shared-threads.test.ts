import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite, sqliteThread } from './open-sqlite.ts'
import { loadThread, type ThreadProgram } from './program-thread.ts'
import { SharedThreads } from './shared-threads.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-threads-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Loads threads, and says how many were loaded and how many have ended. */
function countThreads() {
  const counts = { loaded: 0, ended: 0 }
  const load = async (program: ThreadProgram) => {
    counts.loaded += 1
    const thread = await loadThread(program)
    thread.worker.once('exit', () => {
      counts.ended += 1
    })
    return thread
  }
  return { counts, load }
}

test('users of one program share its thread, which ends with the last of them', async () => {
  const folder = makeFolder()
  const { counts, load } = countThreads()
  const threads = new SharedThreads([sqliteThread], load)
  const first = await openSqlite(join(folder, 'a.db'), threads.claim(sqliteThread))
  const second = await openSqlite(join(folder, 'b.db'), threads.claim(sqliteThread))
  await threads.close()
  await first.close()
  const [result] = await second.run([{ sql: 'select 1 as one', parameters: [] }], 'single')
  expect(result?.rows).toEqual([{ one: 1 }])
  expect(counts).toEqual({ loaded: 1, ended: 0 })
  await second.close()
  expect(counts).toEqual({ loaded: 1, ended: 1 })
})

test('a thread that is loaded ahead waits for its first user, and ends without one', async () => {
  const { counts, load } = countThreads()
  const threads = new SharedThreads([sqliteThread], load)
  await threads.close()
  expect(counts).toEqual({ loaded: 1, ended: 1 })
})

test('a thread that has ended by a fault is replaced for the next user', async () => {
  const folder = makeFolder()
  const { counts, load } = countThreads()
  const threads = new SharedThreads([], load)
  const { worker } = await threads.claim(sqliteThread)
  await worker.terminate()
  const database = await openSqlite(join(folder, 'a.db'), threads.claim(sqliteThread))
  expect(counts).toEqual({ loaded: 2, ended: 1 })
  await database.close()
})

test('a program that does not load fails for the caller that claims it', async () => {
  const missing = { script: new URL('./no-such-worker.ts', import.meta.url) }
  const threads = new SharedThreads([missing])
  await expect(threads.claim(missing)).rejects.toThrow('no-such-worker')
  await threads.close()
})
