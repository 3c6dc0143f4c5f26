import pino from 'pino'
import type { Clock } from '../kit/time/clock.ts'
import type { Observer } from './observer.ts'
import { type LogDestination, type LogLevel, writeLogLine } from './request-log.ts'

/** The log of notices for operators. Notices appear between the lines of requests. */
export interface NoticeLog {
  /** Logs a recovery or an action of the operator. */
  info(message: string): void
  warn(message: string): void
  /** Logs a problem that only an operator can end. */
  error(message: string): void
}

/** Creates a log in the same form as the lines of requests. */
export function createNoticeLog(options: {
  readonly level: () => LogLevel
  readonly destination: LogDestination
  readonly clock: Clock
}): NoticeLog {
  const { values } = pino.levels

  function write(name: 'info' | 'warn' | 'error', message: string) {
    const value = values[name] ?? 0
    const level = options.level()
    if (level === 'silent' || (values[level] ?? 0) > value) return
    const time = new Date(options.clock.nowMs()).toISOString()
    options.destination.write(writeLogLine({ level: value, time, msg: message }))
  }

  return {
    info: (message) => write('info', message),
    warn: (message) => write('warn', message),
    error: (message) => write('error', message),
  }
}

/** The interval between lines. Without descriptors every request fails, and one line is enough. */
const DESCRIPTOR_LINE_INTERVAL_MS = 5_000

/** Logs that this process is out of file descriptors, which is not the fault of any provider. */
export function createDescriptorNotice(notices: NoticeLog, clock: Clock): Observer {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  return {
    requestEnded({ attempts }) {
      if (!attempts.some(({ outcome }) => outcome === 'out_of_descriptors')) return
      const nowMs = clock.monotonicMs()
      if (nowMs < quietUntilMs) return
      quietUntilMs = nowMs + DESCRIPTOR_LINE_INTERVAL_MS
      notices.error(
        'out of file descriptors: providers cannot be connected to; raise the limit (LimitNOFILE of the unit, ulimits of the container, ulimit -n) or lower limits.connections',
      )
    },
  }
}
