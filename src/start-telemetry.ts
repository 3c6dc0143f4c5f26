// What is told of every request: the log and the metrics.
import type { LogLevel } from './config/config-schema.ts'
import { systemClock } from './kit/clock.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import type { Observer } from './telemetry/observer.ts'
import { openLogOutput } from './telemetry/open-log-output.ts'
import { createRequestLog } from './telemetry/request-log.ts'

export interface Telemetry {
  readonly metrics: Metrics
  readonly observer: Observer
  /** Counts for requests that end from now on. */
  setLevel(level: LogLevel): void
}

export function startTelemetry(level: LogLevel, cleanup: AsyncDisposableStack): Telemetry {
  const output = openLogOutput(systemClock)
  cleanup.defer(() => output.close())
  const metrics = createMetrics()
  const createLog = (wanted: LogLevel) =>
    createRequestLog({ level: wanted, destination: output, clock: systemClock })
  let requestLog = createLog(level)
  return {
    metrics,
    observer: {
      requestEnded(row) {
        requestLog.requestEnded(row)
        metrics.requestEnded(row)
      },
    },
    setLevel(wanted) {
      requestLog = createLog(wanted)
    },
  }
}
