import type { PartCommand } from '../../app/supervisor/part-process.ts'
import {
  openRestartSocket,
  type RestartOutcome,
  refuseSecondSupervisor,
} from '../../app/supervisor/restart-socket.ts'
import { Supervisor } from '../../app/supervisor/supervisor.ts'
import type { Config } from '../../config/config.ts'
import { inputOfReload, type LoadInput, loadConfig } from '../../config/load-config.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Terminal } from '../config/check.ts'
import { writeFailure } from '../output/describe-error.ts'
import { listenForEnd } from './listen-for-end.ts'

export interface SuperviseInput {
  readonly config: Config
  readonly loadInput: LoadInput
  readonly terminal: Terminal
  /** Fulfilled with another reason to end, such as a closed terminal or the end of npm. */
  readonly ended: Promise<string>
}

export const RESTARTED = 'restarted: new processes serve, and the old ones finish their running answers'

/** Runs several processes until SIGTERM or SIGINT, and replaces all of them on request. Returns the exit code. */
export async function supervise({ config, terminal, ended, ...given }: SuperviseInput): Promise<number> {
  const { printError } = terminal
  const loadInput = inputOfReload(given.loadInput, config)
  try {
    await refuseSecondSupervisor(config)
  } catch (error) {
    printError(writeFailure(error))
    return 1
  }
  const end = Promise.withResolvers<{ readonly reason: string; readonly exitCode: number }>()
  void ended.then((reason) => end.resolve({ reason, exitCode: 0 }))
  const supervisor = new Supervisor(config, {
    command: partCommandOf(loadInput),
    activated: readActivated(loadInput.environment.variables),
    print: printError,
    onHopeless: (reason) => end.resolve({ reason, exitCode: 1 }),
  })
  listenForEnd(process, systemClock, {
    first: (reason) => end.resolve({ reason, exitCode: 0 }),
    again() {
      supervisor.kill()
      process.exit(1)
    },
  })
  let running = config
  const restartAll = () =>
    restart(async () => {
      const next = await loadConfig(loadInput)
      requireSameSockets(running, next)
      await supervisor.restart(next)
      running = next
    }, terminal)
  process.on('SIGHUP', () => void restartAll())
  const started = supervisor.start().then(
    () => undefined,
    (error: unknown) => error,
  )
  const first = await Promise.race([started.then((fault) => ({ fault })), end.promise])
  if ('fault' in first && first.fault !== undefined) {
    printError(writeFailure(first.fault))
    await supervisor.close(0)
    return 1
  }
  const socket = 'fault' in first ? await offerRestart(config, { restartAll, printError }) : undefined
  const { reason, exitCode } = await end.promise
  socket?.close()
  const { drainMs } = running
  printError(`headgate: ${reason}, finishing running answers (${drainMs / 1_000} s at most)`)
  await supervisor.close(drainMs)
  return exitCode
}

interface RestartOffer {
  readonly restartAll: () => Promise<RestartOutcome>
  readonly printError: (line: string) => void
}

async function offerRestart({ dataFolder }: Config, { restartAll, printError }: RestartOffer) {
  try {
    return await openRestartSocket(dataFolder, restartAll)
  } catch (error) {
    printError(`headgate: warning: "headgate restart" cannot reach this installation: ${reasonOf(error)}`)
    return undefined
  }
}

async function restart(
  replaceAll: () => Promise<void>,
  { printError }: Pick<Terminal, 'printError'>,
): Promise<RestartOutcome> {
  try {
    await replaceAll()
    printError(`headgate: ${RESTARTED}`)
    return { type: 'restarted' }
  } catch (error) {
    const reason = reasonOf(error).replaceAll('\n', '; ')
    printError(`headgate: not restarted, the previous processes go on: ${reason}`)
    return { type: 'failed', reason }
  }
}

class RestartRefusedError extends Error {
  override readonly name = 'RestartRefusedError'
}

/** Throws for a change that new processes cannot make, since this process keeps the sockets that it has. */
function requireSameSockets(running: Config, next: Config): void {
  const fixed = ({ listen, admin, dataFolder, database }: Config) => ({
    listen: JSON.stringify(listen),
    'admin.listen': admin.type === 'own' ? JSON.stringify(admin.listen) : undefined,
    data: dataFolder,
    'database (to or from it)': database !== undefined,
  })
  const after = Object.values(fixed(next))
  const changed = Object.entries(fixed(running)).flatMap(([name, value], index) =>
    value === after[index] ? [] : [name],
  )
  if (changed.length === 0) return
  throw new RestartRefusedError(
    `${changed.join(', ')}: a change takes effect only when the whole server is stopped and started`,
  )
}

/** Makes the command line of one process: the same program with the same flags. */
function partCommandOf({ flags }: LoadInput): PartCommand {
  const { config, data, listen, workers } = flags
  const given = { '--config': config, '--data': data, '--listen': listen }
  const args = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
  const ofPart = workers === undefined ? [] : ['--workers', workers]
  return { script: process.argv[1] ?? '', args: [...args, 'part', ...ofPart] }
}

const FIRST_ACTIVATED = 3

/** Reads the sockets that a service manager opened for this process (sd_listen_fds(3), seen 2026-11-24). */
function readActivated(variables: Readonly<Record<string, string | undefined>>): readonly number[] {
  if (variables['LISTEN_PID'] !== String(process.pid)) return []
  const count = Number(variables['LISTEN_FDS'] ?? 0)
  return Array.from(
    { length: Number.isInteger(count) ? Math.min(2, count) : 0 },
    (_, index) => FIRST_ACTIVATED + index,
  )
}
