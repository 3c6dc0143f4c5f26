import { stackOf } from '../kit/errors/stack-of.ts'
import type { Clock, ReportFault } from '../kit/time/clock.ts'
import type { NoticeLog } from './notice-log.ts'

/** The interval between log lines, so that a fault at every request does not fill the disk. */
const LINE_INTERVAL_MS = 1_000

/** Logs our own faults that no request's row can contain, with their stacks, at most one per second. */
export function createFaultLog(notices: NoticeLog, clock: Clock): ReportFault {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return (source, error) => {
    const nowMs = clock.monotonicMs()
    if (nowMs < quietUntilMs) {
      leftOut += 1
      return
    }
    quietUntilMs = nowMs + LINE_INTERVAL_MS
    const more = leftOut === 0 ? '' : ` (${leftOut} more since the last such line)`
    leftOut = 0
    notices.error(`internal fault in ${source}${more}: ${stackOf(error)}`)
  }
}
