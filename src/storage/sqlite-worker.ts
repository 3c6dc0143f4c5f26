// The thread that owns the SQLite file, so that an fsync never stalls the event loop of the requests.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { describeSqliteFault, openSqliteFile, type SqliteFile } from './sqlite-file.ts'
import type { SqliteReply, SqliteRequest } from './sqlite-protocol.ts'

if (parentPort !== null) serve(parentPort, String(workerData))

function serve(port: MessagePort, file: string): void {
  const reply = (message: SqliteReply): void => port.postMessage(message)
  try {
    const database = openSqliteFile(file, 'full')
    port.on('message', (request: SqliteRequest) => {
      reply(answer(database, request))
      if (request.type === 'close') port.close()
    })
    reply({ type: 'opened' })
  } catch (error) {
    reply({ type: 'failed', id: undefined, fault: describeSqliteFault(error) })
  }
}

function answer(database: SqliteFile, request: SqliteRequest): SqliteReply {
  const { id } = request
  try {
    if (request.type === 'run') {
      const results = database.run(request.statements, request.atomic ? 'atomic' : 'single')
      return { type: 'done', id, results }
    }
    database.close()
    return { type: 'done', id, results: [] }
  } catch (error) {
    return { type: 'failed', id, fault: describeSqliteFault(error) }
  }
}
