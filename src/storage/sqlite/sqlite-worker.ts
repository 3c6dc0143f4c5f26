// The thread that owns the SQLite file, so that an fsync never blocks the event loop that serves requests.
import type { MessagePort } from 'node:worker_threads'
import type { SqliteAsk } from './open-sqlite.ts'
import { serveFile } from './serve-file.ts'
import { describeSqliteFault, openSqliteFile, type SqliteFile } from './sqlite-file.ts'
import type { SqliteResult } from './sqlite-protocol.ts'
import type { ThreadReply, ThreadRequest } from './thread-protocol.ts'

type Reply = ThreadReply<readonly SqliteResult[]>

serveFile(serve)

function serve(port: MessagePort, file: string): void {
  const reply = (message: Reply): void => port.postMessage(message)
  // Other messages are answered during a copy; closing waits for it.
  let copying: Promise<void> = Promise.resolve()
  try {
    const database = openSqliteFile(file, 'full')
    port.on('message', (request: ThreadRequest<SqliteAsk>) => {
      if (request.type === 'close') {
        void copying.then(() => {
          reply(answer(request.id, () => closing(database)))
          port.close()
        })
      } else if (request.ask.type === 'copy') {
        const { id, ask } = request
        copying = copying.then(async () => reply(await answerCopy(id, database.copyTo(ask.path))))
      } else {
        const { statements, mode } = request.ask
        reply(answer(request.id, () => database.run(statements, mode)))
      }
    })
    reply({ type: 'opened' })
  } catch (error) {
    reply({ type: 'not-opened', fault: describeSqliteFault(error) })
  }
}

function closing(database: SqliteFile): undefined {
  database.close()
}

function answer(id: number, work: () => readonly SqliteResult[] | undefined): Reply {
  try {
    const results = work()
    return results === undefined ? { type: 'done', id } : { type: 'done', id, answer: results }
  } catch (error) {
    return { type: 'failed', id, fault: describeSqliteFault(error) }
  }
}

async function answerCopy(id: number, copied: Promise<void>): Promise<Reply> {
  try {
    await copied
    return { type: 'done', id, answer: [] }
  } catch (error) {
    return { type: 'failed', id, fault: describeSqliteFault(error) }
  }
}
