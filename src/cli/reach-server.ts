import type { DataFolder } from '../open-data-folder.ts'
import { type CallServer, createCallServer, NobodyListens } from './call-server.ts'

/** Asks the server that runs on the data folder for something first; undefined where none runs. */
export async function reachServer<Result>(
  data: DataFolder,
  givenToken: string | undefined,
  ask: (call: CallServer) => Promise<Result>,
): Promise<Result | undefined> {
  const server = data.server.read()
  if (server?.adminUrl === undefined) return undefined
  const token = givenToken ?? data.secrets.findAdminToken()
  const call = createCallServer({
    adminUrl: server.adminUrl,
    certificate: server.certificate,
    token: token ?? '',
  })
  try {
    return await ask(call)
  } catch (error) {
    if (error instanceof NobodyListens) return undefined
    if (token !== undefined) throw error
    throw new Error(
      `a server runs on this data folder (process ${server.pid}), but its admin token is not here; set HEADGATE_ADMIN_TOKEN`,
    )
  }
}
