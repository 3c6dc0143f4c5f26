import { createRequestLogOperations } from '../../admin/requests/browse-requests.ts'
import {
  type RequestLogOperations,
  requestDetailSchema,
  requestListSchema,
} from '../../admin/requests/request-contract.ts'
import type { DataFolder } from '../../app/open-data-folder.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import type { CallServer } from './call-server.ts'
import { type ReachServerOptions, reachServer } from './reach-server.ts'
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
  const remote = await reachOperations(data, { givenToken, warn })
  if (remote !== undefined) return { operations: remote, isFromServer: true, close: async () => undefined }
  const log = await data.openRequests()
  const captures = data.openCaptures()
  return {
    operations: createRequestLogOperations(log, captures),
    isFromServer: false,
    async close() {
      await captures.close()
      await log.close()
    },
  }
}

/** Returns the request log of a server that was restarted. Undefined while none serves. */
export async function reachRequestsAgain(
  folder: string,
  givenToken: string | undefined,
): Promise<RequestLogOperations | undefined> {
  // A port that another program uses by now is no news: the wait goes on.
  return reachOperations(openExistingFolder(folder), { givenToken, warn: () => undefined })
}

function reachOperations(
  data: DataFolder,
  terms: Pick<ReachServerOptions<unknown>, 'givenToken' | 'warn'>,
): Promise<RequestLogOperations | undefined> {
  return reachServer({
    data,
    ...terms,
    async ask(call) {
      const operations = createRemoteRequests(call)
      await operations.list({ limit: '1' })
      return operations
    },
  })
}

function createRemoteRequests(call: CallServer): RequestLogOperations {
  return {
    list: (query) => call({ method: 'GET', path: `/requests${writeQuery(query)}` }, requestListSchema),
    get: (requestId) =>
      call({ method: 'GET', path: `/requests/${encodeURIComponent(requestId)}` }, requestDetailSchema),
  }
}
