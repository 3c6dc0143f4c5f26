import type { KeyOperations } from '../admin/contract.ts'
import { systemClock } from '../kit/clock.ts'
import { systemRandom } from '../kit/random.ts'
import { type DataFolder, openDataFolder } from '../open-data-folder.ts'
import { createRemoteKeys, NobodyListens } from './remote-keys.ts'

export interface ReachedKeys {
  readonly operations: KeyOperations
  close(): Promise<void>
}

/**
 * The operations of the running server, so that it knows of a change at once; where none runs, those of the database
 * itself. A server file that a killed server left behind is told by nobody listening; whether the database is free,
 * only its lock can say.
 */
export async function reachKeys(folder: string, givenToken: string | undefined): Promise<ReachedKeys> {
  const data = openDataFolder(folder, { clock: systemClock, random: systemRandom })
  return (await reachServer(data, givenToken)) ?? data.openKeys(undefined)
}

async function reachServer(
  data: DataFolder,
  givenToken: string | undefined,
): Promise<ReachedKeys | undefined> {
  const server = data.server.read()
  if (server?.adminUrl === undefined) return undefined
  const token = givenToken ?? data.secrets.findAdminToken()
  const remote = createRemoteKeys({
    adminUrl: server.adminUrl,
    certificate: server.certificate,
    token: token ?? '',
  })
  try {
    await remote.probe()
    return { operations: remote.operations, close: async () => undefined }
  } catch (error) {
    if (error instanceof NobodyListens) return undefined
    if (token !== undefined) throw error
    throw new Error(
      `a server runs on this data folder (process ${server.pid}), but its admin token is not here; set HEADGATE_ADMIN_TOKEN`,
    )
  }
}
