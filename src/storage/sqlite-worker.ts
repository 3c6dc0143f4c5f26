// The thread that owns the SQLite file, so that an fsync never stalls the event loop of the requests.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { SqliteBatch } from './open-sqlite.ts'
import { describeSqliteFault, openSqliteFile, type SqliteFile } from './sqlite-file.ts'
import type { SqliteResult } from './sqlite-protocol.ts'
import type { ThreadReply, ThreadRequest } from './thread-protocol.ts'

type Reply = ThreadReply<readonly SqliteResult[]>

if (parentPort !== null) serve(parentPort, String(workerData))

function serve(port: MessagePort, file: string): void {
  const reply = (message: Reply): void => port.postMessage(message)
  try {
    const database = openSqliteFile(file, 'full')
    port.on('message', (request: ThreadRequest<SqliteBatch>) => {
      reply(answer(database, request))
      if (request.type === 'close') port.close()
    })
    reply({ type: 'opened' })
  } catch (error) {
    reply({ type: 'failed', id: undefined, fault: describeSqliteFault(error) })
  }
}

function answer(database: SqliteFile, request: ThreadRequest<SqliteBatch>): Reply {
  const { id } = request
  try {
    if (request.type === 'ask') {
      return { type: 'done', id, answer: database.run(request.ask.statements, request.ask.mode) }
    }
    database.close()
    return { type: 'done', id }
  } catch (error) {
    return { type: 'failed', id, fault: describeSqliteFault(error) }
  }
}
