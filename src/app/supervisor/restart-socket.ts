// The socket in the data folder through which a command makes the supervisor replace all processes.
import type { Config } from '../../config/config.ts'
import { CallClient } from '../../kit/local-calls/call-client.ts'
import { CallHost } from '../../kit/local-calls/call-host.ts'
import { callable, createRemoteObject } from '../../kit/local-calls/called-object.ts'
import { isListenedAt } from '../../kit/local-calls/is-listened-at.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { findRestartSocket } from '../../storage/owner/owner-socket.ts'
import { ownerUnavailable, storeFaults } from '../../storage/owner/store-faults.ts'
import { folderInUse } from '../workers/succession.ts'

/** Whether new processes serve, or the reason why the previous ones continue. */
export type RestartOutcome =
  | { readonly type: 'restarted' }
  | { readonly type: 'failed'; readonly reason: string }

/** Throws `OperatorError` where another supervisor runs on the data folder. The owner of its files checks this too. */
export async function refuseSecondSupervisor({
  database,
  dataFolder,
}: Pick<Config, 'database' | 'dataFolder'>): Promise<void> {
  if (database === undefined && (await isListenedAt(findRestartSocket(dataFolder))))
    throw folderInUse(dataFolder)
}

interface Restartable {
  restart(): Promise<RestartOutcome>
}

const NAME = 'supervisor'

/** Opens the socket. Fails if no socket can be created in the folder. */
export async function openRestartSocket(
  dataFolder: string,
  restart: Restartable['restart'],
): Promise<Pick<CallHost, 'close'>> {
  const host = new CallHost({
    path: findRestartSocket(dataFolder),
    objects: { [NAME]: callable<Restartable>({ restart }, ['restart']) },
    faults: storeFaults,
    clock: systemClock,
    onGone: () => undefined,
  })
  await host.listen()
  return host
}

/**
 * Asks the supervisor for a restart. Fulfilled when new processes serve, or have failed to start. Undefined if no
 * supervisor listens.
 */
export async function askForRestart(dataFolder: string): Promise<RestartOutcome | undefined> {
  const path = findRestartSocket(dataFolder)
  if (!(await isListenedAt(path))) return undefined
  const client = new CallClient({
    path,
    process: `restart ${process.pid}`,
    clock: systemClock,
    faults: storeFaults,
    unavailable: ownerUnavailable,
    onEvent: () => undefined,
    onConnectedAnew: () => undefined,
  })
  try {
    return await createRemoteObject<Restartable>(client, NAME, ['restart']).restart()
  } catch {
    // The connection was lost. A call cannot fail for another reason.
    return { type: 'failed', reason: 'the supervisor ended before it had started new ones' }
  } finally {
    client.close()
  }
}
