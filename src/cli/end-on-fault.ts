import type { App } from '../app/app.ts'
import { systemClock } from '../kit/time/clock.ts'
import type { Terminal } from './check.ts'

export interface FaultWatch {
  /** Sends later faults to the log of this gateway. */
  serve(app: App): void
  /** The exit code where a fault ended the process, else 0. */
  readonly exitCode: number
}

export interface FaultWatchOptions {
  readonly terminal: Terminal
  /** Called with the first fault of a gateway that serves. */
  readonly endFor: (reason: string) => void
  /** The time that the end may take beyond that of live answers. */
  readonly closeLimitMs: number
}

/** EX_SOFTWARE of sysexits.h. Supervisors start the process again after any code but 0. */
const INTERNAL_FAULT_EXIT_CODE = 70
/** A fault that comes with every request leaves no time to drain. */
const MAX_FAULTS = 10

/**
 * The last handler: a fault that nothing else caught may have left anything half done, so the process ends. It logs one
 * line, live answers may finish, and the exit code has a supervisor start it again. A promise whose rejection nobody
 * handles comes here as well.
 */
export function endOnFault({ terminal, endFor, closeLimitMs }: FaultWatchOptions): FaultWatch {
  let app: App | undefined
  let count = 0
  process.on('uncaughtException', (error, origin) => {
    count += 1
    if (count >= MAX_FAULTS) process.exit(INTERNAL_FAULT_EXIT_CODE)
    if (count > 1) return
    if (app === undefined) {
      terminal.printError(`headgate: internal fault at the start: ${error.stack ?? String(error)}`)
      endAfter(1_000)
      return
    }
    app.reportFault(origin === 'unhandledRejection' ? 'a promise' : 'an event', error)
    endFor(`internal fault (${error.message}; the log has its stack)`)
    endAfter(app.configuration().config.drainMs + closeLimitMs)
  })

  /** The fault may be in what the end waits for. */
  function endAfter(delayMs: number): void {
    systemClock.startTimer(delayMs, () => process.exit(INTERNAL_FAULT_EXIT_CODE))
  }

  return {
    serve(started) {
      app = started
    },
    get exitCode() {
      return count === 0 ? 0 : INTERNAL_FAULT_EXIT_CODE
    },
  }
}
