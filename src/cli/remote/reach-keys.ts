import type { KeyOperations } from '../../admin/contract.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import { reachServer } from './reach-server.ts'
import { createRemoteKeys } from './remote-keys.ts'

export interface ReachedKeys {
  readonly operations: KeyOperations
  /** Whether a server does it. */
  readonly isServer: boolean
  close(): Promise<void>
}

/**
 * The operations of the running server, so that it knows of a change at once; where none runs, those of the database
 * itself. A server file that a killed server left behind is told by nobody listening who can prove to have written it; whether the database is free,
 * only its lock can say.
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
  if (remote === undefined) return { ...(await data.openKeys(undefined)), isServer: false }
  return { operations: remote, isServer: true, close: async () => undefined }
}
