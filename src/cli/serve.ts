import { openApp } from '../app/app.ts'
import type { ConsoleBuild } from '../app/console-build.ts'
import { loadFolderThreads, type SharedThreads } from '../app/open-data-folder.ts'
import { startWarmUp } from '../app/warm-up/warm-up.ts'
import type { Config } from '../config/config.ts'
import { type LoadInput, loadConfig } from '../config/load-config.ts'
import { systemClock } from '../kit/time/clock.ts'
import type { Terminal } from './config/check.ts'
import { writeFailure } from './output/describe-error.ts'
import { listenForEnd } from './parts/listen-for-end.ts'
import { supervise } from './parts/supervise.ts'
import { describeDescriptorShortfall, readDescriptorLimit } from './process/check-descriptors.ts'
import { endOnFault } from './process/end-on-fault.ts'
import { printWelcome } from './process/print-welcome.ts'
import { reloadOnSignal } from './process/reload-on-signal.ts'
import { returnMemory } from './process/return-memory.ts'
import { buildConsole } from './process/start-console-build.ts'

export interface ServeInput {
  readonly loadInput: LoadInput
  readonly terminal: Terminal
  readonly version: string
  /** Called once callers are answered, before the process changes options of V8. */
  readonly onServing: () => void
}

/** The time after which a process with an internal fault ends in any case, since the shutdown itself may be broken. */
const CLOSE_LIMIT_MS = 5_000

/** `headgate serve`: runs until SIGTERM or SIGINT, and reloads the configuration on SIGHUP. Returns the exit code. */
export async function serveCommand({ loadInput, terminal, version, onServing }: ServeInput): Promise<number> {
  // Without a handler and without the launcher's option, Node opens its inspector on this signal.
  process.on('SIGUSR1', () => undefined)
  const { promise: end, resolve: endFor } = Promise.withResolvers<string>()
  const reloading = reloadOnSignal({
    loadInput,
    terminal,
    onTerminalGone: () => endFor('the terminal is gone'),
  })
  const faults = endOnFault({ terminal, endFor, closeLimitMs: CLOSE_LIMIT_MS })
  // Nearly all installations need these threads. The others end them: at once, or after the warm-up.
  const threads = loadFolderThreads()
  const config = await load(loadInput, terminal)
  if (config === undefined || config.workers !== undefined) await threads.close()
  if (config === undefined) return 1
  const { environment } = loadInput
  if (environment.isRunByNpm) watchParent(endFor)
  if (config.workers !== undefined) return supervise({ config, loadInput, terminal, ended: end })
  const consoleBuild = buildConsole(environment, terminal)
  const started = await start({ config, terminal, version, threads }, consoleBuild)
  if (started === undefined) return 1
  faults.serve(started)
  const { connections } = started.configuration().config.limits
  const shortfall = describeDescriptorShortfall(readDescriptorLimit(), connections)
  if (shortfall !== undefined) terminal.printError(`headgate: warning: ${shortfall}`)
  const { flags } = loadInput
  printWelcome(started, terminal, { isTerminal: process.stdout.isTTY === true, environment, flags })
  onServing()
  const warmUp = startWarmUp({ app: started, version, printError: terminal.printError, threads })
  void warmUp.ended.then((hasReturnedMemory) => {
    void threads.close()
    returnMemory(systemClock, !hasReturnedMemory)
  })
  listenForEnd(process, systemClock, { first: endFor, again: () => process.exit(1) })
  reloading.begin(started)
  const reason = await end
  reloading.stop()
  consoleBuild.stop()
  const { drainMs } = started.configuration().config
  terminal.printError(`headgate: ${reason}, finishing running answers (${drainMs / 1_000} s at most)`)
  await Promise.all([started.close(drainMs), warmUp.stop()])
  return faults.exitCode
}

async function load(loadInput: LoadInput, terminal: Terminal): Promise<Config | undefined> {
  try {
    return await loadConfig(loadInput)
  } catch (error) {
    terminal.printError(writeFailure(error))
    return undefined
  }
}

interface StartInput extends Pick<ServeInput, 'terminal' | 'version'> {
  readonly config: Config
  readonly threads: SharedThreads
}

async function start({ config, terminal, version, threads }: StartInput, consoleBuild: ConsoleBuild) {
  try {
    return await openApp({ config, version, printError: terminal.printError, consoleBuild, threads })
  } catch (error) {
    terminal.printError(writeFailure(error))
    await threads.close()
    return undefined
  }
}

const PARENT_LOOK_MS = 500

/**
 * Reports that npm ended. npm ends only its script's shell, not the shell's child, so under npm the loss of the parent
 * is also a reason to end.
 */
function watchParent(endFor: (reason: string) => void): void {
  const parent = process.ppid
  const look = () => {
    if (process.ppid === parent) systemClock.startTimer(PARENT_LOOK_MS, look)
    else endFor('npm ended')
  }
  look()
}
