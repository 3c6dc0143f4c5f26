// The thread of the request log. Queries are built and run here, so that they cost the request thread nothing.
import type { MessagePort } from 'node:worker_threads'
import { applyMigrations } from '../sqlite/apply-migrations.ts'
import { copyBeforeMigration } from '../sqlite/copy-before-migration.ts'
import { serveFile } from '../sqlite/serve-file.ts'
import { describeSqliteFault, openDatabase, wrapDatabase } from '../sqlite/sqlite-file.ts'
import type { ThreadReply, ThreadRequest } from '../sqlite/thread-protocol.ts'
import type { RequestLogAnswer, RequestLogAsk } from './request-log-protocol.ts'
import { createSqlRequestLog } from './request-log-sql.ts'
import { requestLogMigrations } from './request-log-tables.ts'

/**
 * The cache holds 16 MB of pages (decision 0024). The write-ahead log is checkpointed into the file every 32 MB,
 * since rows written at the same time touch pages throughout the file.
 */
const settings = [
  'pragma cache_size = -16384',
  'pragma wal_autocheckpoint = 8000',
  'pragma journal_size_limit = 67108864',
]

serveFile(serve)

async function serve(port: MessagePort, file: string): Promise<void> {
  const reply = (message: ThreadReply<RequestLogAnswer>): void => port.postMessage(message)
  try {
    const log = await openLog(file)
    // Requests run one after the other, so that closing waits for the earlier ones.
    let last: Promise<void> = Promise.resolve()
    let copying: Promise<void> = Promise.resolve()
    port.on('message', (request: ThreadRequest<RequestLogAsk>) => {
      if (request.type === 'ask' && request.ask.type === 'copy') {
        // A copy takes long and runs concurrently with other requests. Only closing waits for it.
        copying = copying.then(async () => reply(await respond(log, request)))
        return
      }
      last = last.then(async () => {
        if (request.type === 'close') await copying
        reply(await respond(log, request))
        if (request.type === 'close') port.close()
      })
    })
    reply({ type: 'opened' })
  } catch (error) {
    reply({ type: 'not-opened', fault: describeSqliteFault(error) })
  }
}

type OpenLog = Awaited<ReturnType<typeof openLog>>

async function openLog(file: string) {
  // A power cut may lose the last rows: the ledger, not the log, records what was spent.
  const database = openDatabase(file, { durability: 'normal', locking: 'exclusive' })
  const { run, copyTo } = wrapDatabase(database)
  try {
    const runner = { run: async (...batch: Parameters<typeof run>) => run(...batch) }
    for (const setting of settings) database.exec(setting)
    await applyMigrations(runner, requestLogMigrations, copyBeforeMigration(file, copyTo))
    return { ...createSqlRequestLog(database), copyTo, close: () => database.close() }
  } catch (error) {
    database.close()
    throw error
  }
}

async function respond(
  log: OpenLog,
  request: ThreadRequest<RequestLogAsk>,
): Promise<ThreadReply<RequestLogAnswer>> {
  const { id } = request
  try {
    if (request.type === 'ask') return { type: 'done', id, answer: await answer(log, request.ask) }
    log.close()
    return { type: 'done', id }
  } catch (error) {
    return { type: 'failed', id, fault: describeSqliteFault(error) }
  }
}

async function answer(log: OpenLog, ask: RequestLogAsk): Promise<RequestLogAnswer> {
  switch (ask.type) {
    case 'append':
      await log.append(ask.rows)
      return { type: 'append' }
    case 'page':
      return { type: 'page', page: await log.page(ask.query) }
    case 'find':
      return { type: 'find', request: await log.find(ask.requestId) }
    case 'callers':
      return { type: 'callers', list: await log.callers(ask.query) }
    case 'traffic':
      return { type: 'traffic', report: await log.traffic(ask.query) }
    case 'prune':
      return { type: 'prune', ...(await log.prune(ask.limits)) }
    case 'copy':
      await log.copyTo(ask.path)
      return { type: 'copy' }
  }
}
