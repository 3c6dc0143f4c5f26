import { type NamedServer, openDataFolder } from '../app/open-data-folder.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'
import type { Terminal } from './config/check.ts'
import { writeFailure } from './output/describe-error.ts'
import { sendRequest } from './remote/send-request.ts'

export interface HealthInput {
  readonly dataFolder: () => string
  /** Whether to check that the server accepts requests, not only that it is running. */
  readonly isReady: boolean
}

const TIMEOUT_MS = 3_000

/**
 * `headgate health`: asks the server that runs on the data folder. Only `data` is read from the configuration, so that
 * a mistake in it does not make a server look unhealthy that still runs on the previous one. Returns the exit code.
 */
export async function healthCommand(
  { dataFolder, isReady }: HealthInput,
  terminal: Terminal,
): Promise<number> {
  const server = findServer(dataFolder, terminal)
  if (server === undefined) return 1
  const url = `${server.url}/${isReady ? 'readyz' : 'healthz'}`
  try {
    const { certificate } = server
    const answer = await sendRequest({ url, method: 'GET', headers: {}, certificate, timeoutMs: TIMEOUT_MS })
    terminal.print(`${url}: ${answer.status}`)
    return answer.status === 200 ? 0 : 1
  } catch (error) {
    terminal.printError(`${url}: ${reasonOf(error)}`)
    return 1
  }
}

function findServer(dataFolder: () => string, { printError }: Terminal): NamedServer | undefined {
  try {
    const folder = dataFolder()
    const server = openDataFolder(folder, { clock: systemClock, random: systemRandom }).server.read()
    if (server === undefined) printError(`headgate: no server runs on the data folder ${folder}`)
    return server
  } catch (error) {
    printError(writeFailure(error))
    return undefined
  }
}
