// What is told of every request: the log, the metrics and the stored request log.
import type { Config } from '../config/config.ts'
import { type Clock, systemClock } from '../kit/time/clock.ts'
import { createGuardedClock, type ReportFault } from '../kit/time/guarded-clock.ts'
import { createStoredLog, type StoredLog } from '../request-log/stored-log.ts'
import { openRequestLog } from '../storage/request-log/open-request-log.ts'
import { createDescriptorNotice } from '../telemetry/descriptor-notice.ts'
import { createFaultLog } from '../telemetry/fault-log.ts'
import type { HealthChange } from '../telemetry/health-change.ts'
import { createMetrics, type Metrics } from '../telemetry/metrics.ts'
import { createNoticeLog } from '../telemetry/notice-log.ts'
import type { Observer } from '../telemetry/observer.ts'
import { openLogOutput } from '../telemetry/open-log-output.ts'
import { createRequestLog } from '../telemetry/request-log.ts'
import { startAlerts } from './start-alerts.ts'

export interface Telemetry {
  readonly metrics: Metrics
  readonly observer: Observer
  readonly storedLog: StoredLog
  readonly reportFault: ReportFault
  /** Time with timers that cannot end the process. */
  readonly clock: Clock
  healthChanged(healthChange: HealthChange): void
  /** What is known of a channel was forgotten by an operator. */
  healthReset(channelName: string): void
  warn(message: string): void
  /** Takes another configuration for requests that end from now on. */
  change(config: Config): void
}

export interface TelemetryOptions {
  readonly config: Config
  /** For what the log itself cannot say. */
  readonly printError: (line: string) => void
  /** The system's where it is not said. */
  readonly clock?: Clock | undefined
}

export function startTelemetry(
  { config, printError, clock: ownClock = systemClock }: TelemetryOptions,
  cleanup: AsyncDisposableStack,
): Telemetry {
  const metrics = createMetrics()
  const clock = createGuardedClock(ownClock, (source, error) => reportFault(source, error))
  const output = openLogOutput(clock, {
    addDropped: metrics.addDroppedLines,
    warn: (message) => notices.warn(message),
    printError,
  })
  cleanup.defer(() => output.close())
  let { level } = config.log
  const notices = createNoticeLog({ level: () => level, destination: output, clock })
  const reportFault = createFaultLog(notices, clock)
  const alerts = startAlerts({ config, notices, metrics, clock }, cleanup)
  const storedLog = createStoredLog({
    openStore: () => openRequestLog(config.dataFolder),
    clock,
    policy: config.requestLog,
    reports: { ...metrics.requestLog, warn: notices.warn },
  })
  cleanup.defer(() => storedLog.close())
  const createLog = () => createRequestLog({ level, destination: output, clock })
  let requestLog = createLog()
  const descriptorNotice = createDescriptorNotice(notices, clock)
  return {
    metrics,
    reportFault,
    clock,
    storedLog,
    healthChanged(healthChange) {
      metrics.healthChanged(healthChange)
      alerts.healthChanged(healthChange)
    },
    healthReset: alerts.healthReset,
    warn: notices.warn,
    observer: {
      requestEnded(row) {
        requestLog.requestEnded(row)
        metrics.requestEnded(row)
        storedLog.requestEnded(row)
        descriptorNotice.requestEnded(row)
      },
    },
    change(next) {
      level = next.log.level
      requestLog = createLog()
      storedLog.change(next.requestLog)
      alerts.change(next)
    },
  }
}
