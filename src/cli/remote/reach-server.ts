import type { DataFolder, NamedServer } from '../../app/open-data-folder.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { systemRandom } from '../../kit/random/random.ts'
import type { CommandContext } from '../command-context.ts'
import { createWarningWriter } from '../output/create-warning-writer.ts'
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
  /** The admin token from the environment. */
  readonly givenToken: string | undefined
  readonly ask: (call: CallServer, download: DownloadFrom) => Promise<Result>
  /** Receives warnings. The command continues after a warning. */
  readonly warn: (line: string) => void
}

/** Calls the server that runs on the data folder, as `reachServer` does, with the token and the output of a command. */
export function askServer<Result>(
  data: DataFolder,
  { adminToken, io }: Pick<CommandContext, 'adminToken' | 'io'>,
  ask: ReachServerOptions<Result>['ask'],
): Promise<Result | undefined> {
  return reachServer({ data, givenToken: adminToken(), warn: createWarningWriter(io), ask })
}

/**
 * Calls the server that runs on the data folder. Undefined where none runs. The token is sent only after the server has
 * proved its identity: the server file outlives a killed server, and another program may then use its port.
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
    // The folder is free after a server was killed.
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
