import type { DataFolder, NamedServer } from '../../app/open-data-folder.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { systemRandom } from '../../kit/random/random.ts'
import {
  type CallServer,
  ConnectionRefusedError,
  createCallServer,
  createDownloadFrom,
  type DownloadFrom,
  provesItself,
} from './call-server.ts'

export interface ReachServerOptions<Result> {
  readonly data: DataFolder
  /** The admin token that the environment gives. */
  readonly givenToken: string | undefined
  readonly ask: (call: CallServer, download: DownloadFrom) => Promise<Result>
  /** Receives warnings; the command goes on. */
  readonly warn: (line: string) => void
}

/**
 * Asks the server that runs on the data folder for something first; undefined where none runs. The token is
 * shown to no server that has not proved to be that one: the file outlives a killed server, and another
 * program may then have its port.
 */
export async function reachServer<Result>({
  data,
  givenToken,
  ask,
  warn,
}: ReachServerOptions<Result>): Promise<Result | undefined> {
  const server = data.server.read()
  if (server === undefined) return undefined
  if (server.adminUrl === undefined) {
    // A server that was killed leaves the folder free.
    if (data.isInUse()) throw refuseWithoutAdmin(server)
    return undefined
  }
  const { adminUrl, certificate, signingKey, pid } = server
  const token = givenToken ?? data.secrets.findAdminToken()
  try {
    const nonce = systemRandom.bytes(32).toString('base64url')
    if (!(await provesItself({ adminUrl, certificate, signingKey }, nonce))) {
      warn(
        `what listens at ${adminUrl} is not the server of this data folder (process ${pid}, which was killed or is of another version), so no token is sent to it`,
      )
      return undefined
    }
    const remote = { adminUrl, certificate, token: token ?? '' }
    return await ask(createCallServer(remote), createDownloadFrom(remote))
  } catch (error) {
    if (error instanceof ConnectionRefusedError) return undefined
    const isRefused = error instanceof OperatorError && error.code === 'admin_token_refused'
    if (token !== undefined || !isRefused) throw error
    throw new OperatorError(
      'admin_token_missing',
      `a server runs on this data folder (process ${pid}), but its admin token is not here`,
      { cause: error },
    )
  }
}

function refuseWithoutAdmin({ pid, url }: NamedServer): OperatorError {
  return new OperatorError(
    'admin_api_off',
    `the server of this data folder runs (process ${pid}, ${url}), but serves no admin API, which commands use: it is off where the configuration says so, and where others can reach the callers' listener`,
  )
}
