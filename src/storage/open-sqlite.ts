import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type {
  SqliteFault,
  SqliteReply,
  SqliteRequest,
  SqliteResult,
  SqliteStatement,
} from './sqlite-protocol.ts'
import { storeUnavailable, UniqueViolation } from './store-fault.ts'

/** What queries need of a database, whichever thread has it. */
export interface SqliteRunner {
  /**
   * Runs statements in order, the results in the same order; fulfilled once they are durable. `atomic` makes them one
   * transaction, which must not be asked for while a transaction begun by statements is open. Fails with
   * `UniqueViolation`, or with `store_unavailable` for everything that is the store's own fault.
   */
  run(statements: readonly SqliteStatement[], mode: 'atomic' | 'single'): Promise<readonly SqliteResult[]>
}

/** A SQLite file that this process owns, behind a thread. */
export interface SqliteDatabase extends SqliteRunner {
  /** Waits for what is under way, writes the log back into the file and gives the file free. */
  close(): Promise<void>
}

// https://sqlite.org/rescode.html, seen 2026-11-20
const SQLITE_BUSY = 5
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

interface Waiting {
  readonly resolve: (results: readonly SqliteResult[]) => void
  readonly reject: (error: Error) => void
}

/** Opens or makes the file, readable by its owner alone. Fails with a line for the operator where it cannot be used. */
export async function openSqlite(file: string): Promise<SqliteDatabase> {
  const worker = startWorker(file)
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  let ended: string | undefined

  function post(makeRequest: (id: number) => SqliteRequest): Promise<readonly SqliteResult[]> {
    if (ended !== undefined) return Promise.reject(storeUnavailable(ended))
    const { promise, resolve, reject } = Promise.withResolvers<readonly SqliteResult[]>()
    nextId += 1
    waiting.set(nextId, { resolve, reject })
    worker.postMessage(makeRequest(nextId))
    return promise
  }

  function end(reason: string): void {
    ended ??= reason
    for (const { reject } of waiting.values()) reject(storeUnavailable(reason))
    waiting.clear()
  }

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await opened(worker, file)
  worker.on('message', (reply: SqliteReply) => settle(waiting, reply))
  worker.on('error', (error) => end(`the thread of ${file} failed: ${error.message}`))
  worker.on('exit', () => end(`${file} is closed`))

  return {
    run: (statements, mode) => post((id) => ({ type: 'run', id, statements, atomic: mode === 'atomic' })),
    async close() {
      if (ended !== undefined) return exited
      const closing = post((id) => ({ type: 'close', id }))
      ended = `${file} is closed`
      await closing
      await exited
    },
  }
}

// The thread's file has the extension of this one: .ts from source, .js once compiled.
function startWorker(file: string): Worker {
  const extension = extname(new URL(import.meta.url).pathname)
  return new Worker(new URL(`./sqlite-worker${extension}`, import.meta.url), { workerData: file })
}

async function opened(worker: Worker, file: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<SqliteReply>()
  worker.once('message', resolve)
  worker.once('error', reject)
  const reply = await promise
  worker.off('error', reject)
  if (reply.type === 'failed') throw new Error(describeRefusal(file, reply.fault))
}

function describeRefusal(file: string, fault: SqliteFault): string {
  if (primaryCode(fault) !== SQLITE_BUSY) return `${file} cannot be opened: ${fault.message}`
  return `${file} is in use by another Headgate process; stop that one, or choose another data folder`
}

function settle(waiting: Map<number, Waiting>, reply: SqliteReply): void {
  if (reply.type === 'opened' || reply.id === undefined) return
  const asker = waiting.get(reply.id)
  waiting.delete(reply.id)
  if (reply.type === 'done') asker?.resolve(reply.results)
  else asker?.reject(readFault(reply.fault))
}

function readFault({ message, code }: SqliteFault): Error {
  if (code === SQLITE_CONSTRAINT_UNIQUE || code === SQLITE_CONSTRAINT_PRIMARYKEY) {
    return new UniqueViolation(message.replace('UNIQUE constraint failed: ', ''))
  }
  return storeUnavailable(message)
}

function primaryCode({ code }: SqliteFault): number | undefined {
  return code === undefined ? undefined : code % 256
}
