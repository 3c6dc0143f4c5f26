import type { App } from '../../app/app.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Terminal } from '../config/check.ts'

export interface FaultWatch {
  /** Sends later faults to the log of this gateway. */
  serve(app: App): void
  /** The exit code where a fault ended the process, else 0. */
  readonly exitCode: number
}

export interface FaultWatchOptions {
  readonly terminal: Terminal
  /** Called with the first fault of a running gateway. */
  readonly endFor: (reason: string) => void
  /** The time that shutdown may take beyond the drain of live answers. */
  readonly closeLimitMs: number
}

/** EX_SOFTWARE of sysexits.h. Supervisors restart the process after any code but 0. */
const INTERNAL_FAULT_EXIT_CODE = 70
/** The limit of faults. Faults at every request leave no time to drain. */
const MAX_FAULTS = 10

/**
 * The last handler. A fault that no other code caught may have left any operation half done, so the process ends. It
 * logs one line, lets live answers finish, and sets an exit code at which a supervisor restarts it. Unhandled promise
 * rejections arrive here as well.
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

  /** Ends the process after a delay, since the fault may be in the work that the shutdown waits for. */
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
