import { closeSync, openSync } from 'node:fs'
import { listWarnings } from '../../admin/config/list-warnings.ts'
import type { App } from '../../app/app.ts'
import { summarizeConfig } from '../../config/layers/summarize-config.ts'
import { inputOfReload, type LoadInput, loadConfig } from '../../config/load-config.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import type { Terminal } from '../config/check.ts'
import { describeError } from '../output/describe-error.ts'

export interface ReloadOptions {
  readonly loadInput: LoadInput
  readonly terminal: Terminal
  /** Called when the terminal that started the process is closed. */
  readonly onTerminalGone: () => void
}

/** Reloads the configuration at every SIGHUP. Windows has no such signal. */
export interface Reloading {
  /** Starts to reload on signals. An earlier signal takes effect now. */
  begin(app: App): void
  stop(): void
}

export function reloadOnSignal({ loadInput, terminal, onTerminalGone }: ReloadOptions): Reloading {
  let app: App | undefined
  let isRequested = false
  let isBusy = false

  async function work(target: App): Promise<void> {
    if (isBusy) return
    isBusy = true
    while (isRequested) {
      isRequested = false
      await reload(target, loadInput, terminal)
    }
    isBusy = false
  }

  function onSignal() {
    if (hasLostTerminal()) {
      // A write to a closed output fails and must not end the requests in flight.
      for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
      onTerminalGone()
      return
    }
    isRequested = true
    if (app !== undefined) void work(app)
  }

  if (process.platform !== 'win32') process.on('SIGHUP', onSignal)
  return {
    begin(started) {
      app = started
      void work(started)
    },
    stop() {
      app = undefined
    },
  }
}

async function reload(app: App, loadInput: LoadInput, { printError }: Terminal): Promise<void> {
  try {
    const config = await loadConfig(inputOfReload(loadInput, app.configuration().config))
    const { later, state } = await app.reload(config)
    for (const warning of listWarnings(state)) printError(`headgate: warning: ${warning}`)
    if (later.length > 0)
      printError(`headgate: warning: ${later.join(', ')}: a change takes effect only after a restart`)
    printError(`headgate: configuration reloaded: ${summarizeConfig(state.config)}`)
  } catch (error) {
    const reason = reasonOf(error).replaceAll('\n', '; ')
    await auditRefusal(app, reasonOf(error).split('\n'), printError)
    printError(`headgate: configuration not reloaded, the previous one stays in use: ${reason}`)
  }
}

async function auditRefusal(
  app: App,
  reasons: readonly string[],
  printError: Terminal['printError'],
): Promise<void> {
  try {
    await app.auditRefusedReload(reasons)
  } catch (error) {
    printError(`headgate: warning: the audit has no record of this reload: ${describeError(error)}`)
  }
}

/** Whether the terminal is gone. The signal is also sent when the terminal closes, and the server should then end. */
function hasLostTerminal(): boolean {
  if (process.stdin.isTTY !== true && process.stdout.isTTY !== true) return false
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return false
  } catch {
    // The error is ENXIO or EIO: the terminal is gone.
    return true
  }
}
