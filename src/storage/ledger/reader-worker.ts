// The thread that reads the ledger for reports. It has its own connections, so that it never blocks the thread that
// writes.
import { DatabaseSync } from 'node:sqlite'
import type { MessagePort } from 'node:worker_threads'
import type { Steps } from '../../kit/async/steps.ts'
import { nextTurn, systemClock } from '../../kit/time/clock.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import { USAGE_SLOT_MS, type UsageQuery } from '../../metering/usage-query.ts'
import { serveFile } from '../sqlite/serve-file.ts'
import { describeSqliteFault } from '../sqlite/sqlite-file.ts'
import type { ThreadReply, ThreadRequest } from '../sqlite/thread-protocol.ts'
import { CellReader } from './cells/cell-reader.ts'
import { queryUsage, type UsageSource } from './cells/query-usage.ts'
import type { ReaderAnswer, ReaderAsk } from './reader-protocol.ts'
import { RowExporter } from './rows/export-rows.ts'
import { RowPager } from './rows/page-rows.ts'
import { RowReader } from './rows/read-row.ts'
import { SubjectIndex } from './rows/subject-index.ts'
import { verifyLedger } from './rows/verify-ledger.ts'

const MAX_USAGE_MS = 10_000
/** The time after which a page of rows ends with the rows found so far. */
const MAX_PAGE_MS = 1_000
const BUSY_TIMEOUT_MS = 1_000
/** A larger cache was not faster (decision 0024). */
const CACHE_KIB = 16_384
/** Reports mostly cover this month or the last one. */
const MAX_DAYS_AHEAD = 62
/** These reports read the blocks of days and of hours. */
const readAheadBy = [['key', 'model'] as const, ['key', 'model', 'hour'] as const]

class ReportTimeoutError extends Error {
  override readonly name = 'ReportTimeoutError'
}

type Reply = ThreadReply<ReaderAnswer>

serveFile(serve)

function serve(port: MessagePort, file: string): void {
  const reply = (message: Reply): void => port.postMessage(message, listHandedOver(message))
  try {
    const reports = openReports(file)
    let isClosing = false
    /** The long tasks, one after the other, with pauses in which reports run. */
    let background: Promise<void> = Promise.resolve()
    const runInBackground = (id: number, work: () => Promise<ReaderAnswer>): void => {
      background = background.then(async () => reply(await attempt(id, work)))
    }
    port.on('message', (request: ThreadRequest<ReaderAsk>) => {
      const { id } = request
      if (request.type === 'close') {
        isClosing = true
        void background.then(() => {
          reports.close()
          reply({ type: 'done', id })
          port.close()
        })
        return
      }
      const { ask } = request
      switch (ask.type) {
        case 'verify':
          return runInBackground(id, () => verify(file, ask.nowMs))
        case 'read-ahead':
          return runInBackground(id, async () => {
            await runWithPauses(reports.readAhead(), () => isClosing)
            return { type: 'read-ahead' }
          })
        default:
          void attempt(id, async () => reports.answer(ask)).then(reply)
      }
    })
    reply({ type: 'opened' })
  } catch (error) {
    reply({ type: 'not-opened', fault: describeSqliteFault(error) })
  }
}

/** The memory that is transferred to the other thread without a copy. */
function listHandedOver(message: Reply): ArrayBuffer[] {
  const answer = message.type === 'done' ? message.answer : undefined
  return answer?.type === 'export' ? [answer.chunk.bytes.buffer] : []
}

async function attempt(id: number, work: () => Promise<ReaderAnswer>): Promise<Reply> {
  try {
    return { type: 'done', id, answer: await work() }
  } catch (error) {
    if (error instanceof ReportTimeoutError) return { type: 'done', id, answer: { type: 'too-slow' } }
    return { type: 'failed', id, fault: describeSqliteFault(error) }
  }
}

function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  database.exec(`pragma cache_size = -${CACHE_KIB}`)
  return database
}

function openReports(file: string) {
  const database = openReader(file)
  const subjects = new SubjectIndex(database)
  const cells = new CellReader(database)
  const pager = new RowPager({ database, subjects, rows: new RowReader(database, subjects) })
  const exporter = new RowExporter(database, subjects)

  function answer(ask: Exclude<ReaderAsk, { type: 'verify' | 'read-ahead' }>): ReaderAnswer {
    switch (ask.type) {
      case 'usage': {
        const isLate = createDeadline(MAX_USAGE_MS)
        const checkTime = () => {
          if (isLate()) throw new ReportTimeoutError()
        }
        return { type: 'usage', page: queryUsage(ask.query, { cells, subjects, checkTime }) }
      }
      case 'rows':
        return atOneMoment(database, () => {
          return { type: 'rows', page: pager.page(ask.query, createDeadline(MAX_PAGE_MS)) }
        })
      case 'rows-of':
        return atOneMoment(database, () => ({ type: 'rows-of', rows: pager.ofRequest(ask.requestId) }))
      case 'export':
        return atOneMoment(database, () => ({
          type: 'export',
          chunk: exporter.chunk(ask.query, ask.position),
        }))
    }
  }

  return { answer, readAhead: () => readAhead({ cells, subjects }), close: () => database.close() }
}

function createDeadline(maxMs: number): () => boolean {
  const endMs = systemClock.monotonicMs() + maxMs
  return () => systemClock.monotonicMs() > endMs
}

function atOneMoment(database: DatabaseSync, read: () => ReaderAnswer): ReaderAnswer {
  database.exec('begin')
  try {
    return read()
  } finally {
    database.exec('commit')
  }
}

async function verify(file: string, nowMs: number): Promise<ReaderAnswer> {
  const database = openReader(file)
  try {
    const steps = verifyLedger(database, nowMs)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return { type: 'verify', check: value }
      await nextTurn()
    }
  } finally {
    database.close()
  }
}

async function runWithPauses(steps: Steps<void>, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && steps.next().done !== true) await nextTurn()
}

/**
 * Makes small reports of the last days with usage, one day in each step. Afterwards the data for a report of a month
 * is in the system's memory and the report code is compiled. Read from a disk, the first report would be slower.
 */
function* readAhead({ cells, subjects }: Pick<UsageSource, 'cells' | 'subjects'>): Steps<void> {
  const { first, end } = cells.ends().days
  const [sinceMs, endMs] = [first * USAGE_SLOT_MS, end * USAGE_SLOT_MS]
  for (const by of readAheadBy) {
    for (let day = 1; day <= MAX_DAYS_AHEAD; day += 1) {
      const startMs = endMs - day * DAY_MS
      if (startMs < sinceMs) break
      const query: UsageQuery = {
        by,
        sinceMs: startMs,
        untilMs: startMs + DAY_MS,
        timeZone: 'UTC',
        filter: {},
        order: 'name',
        limit: 1,
      }
      queryUsage(query, { cells, subjects, checkTime: () => undefined })
      yield
    }
  }
}
