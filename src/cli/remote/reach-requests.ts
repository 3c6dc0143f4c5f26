import { createRequestLogOperations } from '../../admin/requests/browse-requests.ts'
import {
  type RequestLogOperations,
  requestDetailSchema,
  requestListSchema,
} from '../../admin/requests/request-contract.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import type { CallServer } from './call-server.ts'
import { reachServer } from './reach-server.ts'
import { writeQuery } from './write-query.ts'

export interface ReachedRequests {
  readonly operations: RequestLogOperations
  readonly isFromServer: boolean
  close(): Promise<void>
}

/** Returns the running server's request log, or the data folder's where no server runs. */
export async function reachRequests(
  folder: string,
  givenToken: string | undefined,
  warn: (line: string) => void,
): Promise<ReachedRequests> {
  const data = openExistingFolder(folder)
  const remote = await reachServer({
    data,
    givenToken,
    warn,
    async ask(call) {
      const operations = createRemoteRequests(call)
      await operations.list({ limit: '1' })
      return operations
    },
  })
  if (remote !== undefined) return { operations: remote, isFromServer: true, close: async () => undefined }
  const log = await data.openRequests()
  const captures = await data.openCaptures()
  return {
    operations: createRequestLogOperations(log, captures),
    isFromServer: false,
    async close() {
      await captures?.close()
      await log.close()
    },
  }
}

function createRemoteRequests(call: CallServer): RequestLogOperations {
  return {
    list: (query) => call({ method: 'GET', path: `/requests${writeQuery(query)}` }, requestListSchema),
    get: (requestId) =>
      call({ method: 'GET', path: `/requests/${encodeURIComponent(requestId)}` }, requestDetailSchema),
  }
}
