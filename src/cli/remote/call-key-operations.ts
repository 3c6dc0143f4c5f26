import { effectsSchema } from '../../admin/effects/effect-contract.ts'
import {
  createdKeySchema,
  type KeyOperations,
  keyListSchema,
  keyViewSchema,
} from '../../admin/keys/key-contract.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import type { CallServer } from './call-server.ts'
import { reachServer } from './reach-server.ts'
import { writeQuery } from './write-query.ts'

export interface ReachedKeys {
  readonly operations: KeyOperations
  /** Whether a running server carries out the operations. */
  readonly isFromServer: boolean
  close(): Promise<void>
}

/**
 * Returns the running server's operations, so that the server applies a change at once. Without a server, returns the
 * operations of the database itself. A server file whose server no longer answers was left by a killed server. Only the
 * database's lock shows whether the database is free.
 */
export async function reachKeys(
  folder: string,
  givenToken: string | undefined,
  warn: (line: string) => void,
): Promise<ReachedKeys> {
  const data = openExistingFolder(folder)
  const remote = await reachServer({
    data,
    givenToken,
    warn,
    async ask(call) {
      const { operations, probe } = createRemoteKeys(call)
      await probe()
      return operations
    },
  })
  if (remote === undefined) return { ...(await data.openKeys(undefined)), isFromServer: false }
  return { operations: remote, isFromServer: true, close: async () => undefined }
}

interface RemoteKeys {
  readonly operations: KeyOperations
  /** Throws where the server or the token is not the expected one. */
  probe(): Promise<void>
}

/** Creates the operations on keys that a running server carries out. */
function createRemoteKeys(call: CallServer): RemoteKeys {
  const one = (reference: string): string => `/keys/${encodeURIComponent(reference)}`
  return {
    probe: async () => void (await call({ method: 'GET', path: '/keys?limit=1' }, keyListSchema)),
    operations: {
      list: (query) => call({ method: 'GET', path: `/keys${writeQuery(query)}` }, keyListSchema),
      create: (input) => call({ method: 'POST', path: '/keys', body: input }, createdKeySchema),
      createWithinLife: (input) => call({ method: 'POST', path: '/keys', body: input }, createdKeySchema),
      get: (reference) => call({ method: 'GET', path: one(reference) }, keyViewSchema),
      change: (reference, change) =>
        call({ method: 'PATCH', path: one(reference), body: change }, keyViewSchema),
      preview: (reference, change) =>
        call({ method: 'POST', path: `${one(reference)}/preview`, body: change }, effectsSchema),
      rotate: (reference, input) =>
        call({ method: 'POST', path: `${one(reference)}/rotate`, body: input }, createdKeySchema),
      revoke: (reference) => call({ method: 'DELETE', path: one(reference) }, keyViewSchema),
    },
  }
}
