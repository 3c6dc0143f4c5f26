import { join } from 'node:path'
import { startGateway } from '../../support/start-gateway.ts'
import { startProcess } from '../../support/start-process.ts'

/** A gateway whose ledger is read once it has ended. */
export interface RacedGateway extends AsyncDisposable {
  readonly url: string
  readonly dataFolder: string
  /** Ends it in good order. */
  end(): Promise<void>
}

const STARTS_WITHIN_MS = 120_000

/** Starts a gateway in this process, or with workers in processes of their own. */
export async function openRacedGateway(yaml: string, workers: number): Promise<RacedGateway> {
  if (workers === 0) {
    const gateway = await startGateway(yaml)
    const { url, dataFolder } = gateway
    return {
      url,
      dataFolder,
      end: () => gateway.close(5_000),
      [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
    }
  }
  const started = await startProcess(
    `workers: ${workers}\nlog: { level: silent }\n${yaml}`,
    {},
    { startsWithinMs: STARTS_WITHIN_MS },
  )
  const { child, folder, url } = started
  return {
    url,
    dataFolder: join(folder, 'data'),
    async end() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}
