import pino from 'pino'
import type { Clock } from '../kit/clock.ts'
import type { LogDestination, LogLevel } from './request-log.ts'

/** Writes what an operator should know between the lines of requests, in the same form. */
export function createNoticeLog(options: {
  readonly level: () => LogLevel
  readonly destination: LogDestination
  readonly clock: Clock
}): { warn(message: string): void } {
  const { values } = pino.levels
  const warning = values['warn'] ?? 0
  return {
    warn(message) {
      const level = options.level()
      if (level === 'silent' || (values[level] ?? 0) > warning) return
      const time = new Date(options.clock.nowMs()).toISOString()
      options.destination.write(`${JSON.stringify({ level: warning, time, msg: message })}\n`)
    },
  }
}
