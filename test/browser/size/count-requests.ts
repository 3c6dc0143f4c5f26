import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createTrafficCounter } from '../../../src/storage/request-log/count-traffic.ts'

/** Adds up the requests of a log that were written behind the back of the server, as it would have done by itself. */
export function countRequests(dataFolder: string): void {
  const database = new DatabaseSync(join(dataFolder, 'requests.db'))
  database.exec('pragma cache_size = -400000; pragma synchronous = off')
  const counter = createTrafficCounter(database)
  while (counter.count());
  database.close()
}
