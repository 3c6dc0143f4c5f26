import { statfs } from 'node:fs/promises'
import type { AlertStore } from '../../alerts/alert-store.ts'
import type { Config } from '../../config/config.ts'
import { isOfPriceFile, writeConfigWarning } from '../../config/config-warning.ts'
import { openOutputFile, openStandardOutput } from '../../kit/net/open-standard-output.ts'
import { type Clock, createGuardedClock, type ReportFault, systemClock } from '../../kit/time/clock.ts'
import type { ReachedThreshold } from '../../metering/budgets/reached-threshold.ts'
import { createStoredLog, type StoredLog } from '../../request-log/stored-log.ts'
import { DiskGuard, type DiskSpace } from '../../telemetry/disk-guard.ts'
import { createFaultLog } from '../../telemetry/fault-log.ts'
import { createMetrics, type Metrics } from '../../telemetry/metrics.ts'
import { createDescriptorNotice, createNoticeLog, type NoticeLog } from '../../telemetry/notice-log.ts'
import type { ObservedHealthChange } from '../../telemetry/observed-health-change.ts'
import type { Observer } from '../../telemetry/observer.ts'
import type { BuildInfo } from '../../telemetry/process-gauges.ts'
import { createRequestLog, openLogOutput } from '../../telemetry/request-log.ts'
import type { DataFolder } from '../open-data-folder.ts'
import { type Alerts, type DecidingAlerts, startAlerts } from './start-alerts.ts'

// The observers of every request: the log, the metrics and the stored request log.

export interface Telemetry {
  readonly metrics: Metrics
  readonly observer: Observer
  readonly storedLog: StoredLog
  readonly reportFault: ReportFault
  /** A clock with guarded timers: an error in a timer is reported and cannot end the process. */
  readonly clock: Clock
  /** Watches the disk of the data folder after its start. */
  readonly disk: DiskGuard
  readonly alerts: Alerts
  healthChanged(change: ObservedHealthChange): void
  /** Called when an operator has reset a channel's health. */
  healthReset(channelName: string): void
  /** Called when the amount spent in a budget has reached a share of `warnAt`. */
  budgetReached(reached: ReachedThreshold): void
  warn(message: string): void
  /** Applies another configuration to requests that end from now on. */
  change(config: Config): void
}

export interface TelemetryOptions {
  readonly config: Config
  readonly alertStore: AlertStore
  readonly folder: Pick<DataFolder, 'openRequests'>
  /** The version of Headgate. */
  readonly version: string
  /** Forwards problems to the process that decides about alerts; undefined if this process decides. */
  readonly forwardAlerts?: Alerts | undefined
  /** Combines the alerts of this process with those of others. One process at a time decides. */
  readonly shareAlerts?: ((alerts: DecidingAlerts, notices: NoticeLog) => Alerts) | undefined
  /** Prints faults of the log itself. */
  readonly printError: (line: string) => void
  /** The clock. The default is the system's clock. */
  readonly clock?: Clock | undefined
  /** The log file. The default is standard output. */
  readonly logFile?: string | undefined
  /** Whether other processes write to the same log. */
  readonly isLogShared?: boolean
}

export async function startTelemetry(
  options: TelemetryOptions,
  cleanup: AsyncDisposableStack,
): Promise<Telemetry> {
  const telemetry = createTelemetry(options, cleanup)
  // Alerts load the open ones before anything can be reported.
  await telemetry.alerts.load()
  await telemetry.disk.start()
  return telemetry
}

function createTelemetry(
  {
    config,
    alertStore,
    folder,
    forwardAlerts,
    shareAlerts = (alerts) => alerts,
    version,
    printError,
    clock: ownClock = systemClock,
    logFile,
    isLogShared = false,
  }: TelemetryOptions,
  cleanup: AsyncDisposableStack,
): Telemetry {
  const metrics = createMetrics(describeBuild(version))
  const clock = createGuardedClock(ownClock, (source, error) => reportFault(source, error))
  const { addDroppedLines: addDropped } = metrics
  const log = openLog({ config, clock, addDropped, printError, logFile, isLogShared }, cleanup)
  const { notices } = log
  const reportFault = createFaultLog(notices, clock)
  const alerts =
    forwardAlerts ??
    shareAlerts(
      startAlerts({ config, store: alertStore, notices, metrics, clock, reportFault }, cleanup),
      notices,
    )
  const recorders = { metrics, alerts, notices, clock }
  const disk = watchDisk(config.dataFolder, recorders, cleanup)
  const storedLog = openStoredLog(config, { ...recorders, disk, folder }, cleanup)
  const observers = [log, metrics, storedLog, alerts, createDescriptorNotice(notices, clock)]
  return {
    metrics,
    reportFault,
    clock,
    disk,
    alerts,
    storedLog,
    warn: notices.warn,
    ...createReports(recorders),
    observer: {
      requestEnded(row) {
        for (const observer of observers) observer.requestEnded(row)
      },
    },
    change(next) {
      log.change(next)
      storedLog.change(next.requestLog)
      alerts.change(next)
      for (const warning of next.warnings)
        if (isOfPriceFile(warning)) notices.warn(writeConfigWarning(warning))
    },
  }
}

interface Recorders extends Pick<Telemetry, 'metrics' | 'alerts' | 'clock'> {
  readonly notices: NoticeLog
}

function createReports({
  metrics,
  alerts,
}: Recorders): Pick<Telemetry, 'healthChanged' | 'healthReset' | 'budgetReached'> {
  return {
    healthChanged(change) {
      metrics.healthChanged(change)
      alerts.healthChanged(change)
    },
    healthReset: (channelName) => alerts.healthReset(channelName),
    budgetReached(reached) {
      metrics.budgetReached({ budget: reached.budget.name, percent: reached.percent })
      alerts.budgetReached(reached)
    },
  }
}

function watchDisk(
  dataFolder: string,
  { metrics, alerts, notices, clock }: Recorders,
  cleanup: AsyncDisposableStack,
): DiskGuard {
  const disk = new DiskGuard({
    read: () => readFreeSpace(dataFolder),
    clock,
    onChange: (change) => alerts.diskChanged(change),
    warn: notices.warn,
  })
  cleanup.defer(() => disk.close())
  metrics.watchDisk(() => disk)
  return disk
}

type StoredLogParts = Recorders & Pick<Telemetry, 'disk'> & Pick<TelemetryOptions, 'folder'>

function openStoredLog(
  { database, requestLog }: Config,
  { metrics, notices, clock, disk, folder }: StoredLogParts,
  cleanup: AsyncDisposableStack,
): StoredLog {
  const storedLog = createStoredLog({
    openStore: () => folder.openRequests(),
    mayWrite: () => database !== undefined || disk.level === 'ample',
    clock,
    policy: requestLog,
    reports: { ...metrics.requestLog, warn: notices.warn },
  })
  cleanup.defer(() => storedLog.close())
  return storedLog
}

/** The free space for this user in the file system of the folder. */
async function readFreeSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

function describeBuild(version: string): BuildInfo {
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
}

interface LogOptions {
  readonly config: Config
  readonly clock: Clock
  readonly addDropped: (lines: number) => void
  readonly printError: (line: string) => void
  readonly logFile: string | undefined
  readonly isLogShared: boolean
}

/** Opens the log of requests and notices. A new configuration may change its level. */
function openLog(
  { config, clock, addDropped, printError, logFile, isLogShared }: LogOptions,
  cleanup: AsyncDisposableStack,
) {
  const level = { current: config.log.level }
  const opened = logFile === undefined ? openStandardOutput(1) : openOutputFile(logFile)
  const target = { ...opened, isShared: isLogShared }
  const reports = { addDropped, warn: (message: string) => notices.warn(message), printError }
  const output = openLogOutput(target, clock, reports)
  cleanup.defer(() => output.close())
  const notices = createNoticeLog({ level: () => level.current, destination: output, clock })
  const requestLog = createRequestLog({ level, destination: output, clock })
  return {
    ...requestLog,
    notices,
    change(next: Config) {
      level.current = next.log.level
    },
  }
}
