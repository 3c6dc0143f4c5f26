// Forwards the observations of workers to the process that decides about alerts, so that each alert is reported once.
import type { AlertPolicy } from '../../alerts/alert-schema.ts'
import type { Config } from '../../config/config.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { JudgedRow } from '../../telemetry/observer.ts'
import type { Alerts } from '../monitoring/start-alerts.ts'
import { startTelemetry, type Telemetry, type TelemetryOptions } from '../monitoring/start-telemetry.ts'
import { NodeAlerts } from '../nodes/node-alerts.ts'
import type { ProcessBus } from '../nodes/process-bus.ts'
import type { SharedState } from '../nodes/shared-state.ts'
import type { ProcessPart } from './process-part.ts'

export interface Processes {
  readonly part: Pick<ProcessPart, 'type' | 'bus'> | undefined
  readonly shared: Pick<SharedState, 'bus' | 'work'> | undefined
}

/**
 * Starts the telemetry of a single process, or of one of several. Among several processes, one decides about alerts.
 */
export async function startPartTelemetry(
  { part, shared }: Processes,
  options: TelemetryOptions,
  cleanup: AsyncDisposableStack,
): Promise<Telemetry> {
  const forwardAlerts = findForwardedAlerts(part, options.config)
  const shareAlerts = findSharedAlerts(shared, options, cleanup)
  const isLogShared = part !== undefined
  const telemetry = await startTelemetry({ ...options, forwardAlerts, shareAlerts, isLogShared }, cleanup)
  adoptForwardedAlerts(part, telemetry.alerts)
  return telemetry
}

function findSharedAlerts(
  shared: Processes['shared'],
  { alertStore: store, clock = systemClock }: TelemetryOptions,
  cleanup: AsyncDisposableStack,
): TelemetryOptions['shareAlerts'] {
  const bus = shared?.bus
  if (shared === undefined || bus === undefined) return undefined
  return (deciding, notices) => {
    const alerts = new NodeAlerts({ deciding, notices, store, clock, bus, work: shared.work })
    cleanup.defer(() => alerts.close())
    return alerts
  }
}

/** Rows are collected for this long, and then sent together. */
const FORWARD_AFTER_MS = 250
const MAX_ROWS = 1_000

/** Undefined in a process that decides about alerts itself. */
function findForwardedAlerts(
  part: Pick<ProcessPart, 'type' | 'bus'> | undefined,
  config: Pick<Config, 'alerts'>,
): Alerts | undefined {
  return part?.type === 'worker' ? forwardAlerts(part.bus, config) : undefined
}

function forwardAlerts(bus: ProcessBus, config: Pick<Config, 'alerts'>): Alerts {
  let policy: AlertPolicy = config.alerts
  let rows: JudgedRow[] = []
  const elsewhere = () => {
    throw new InvariantError('alerts are changed by the process that decides about them')
  }
  function flush(): void {
    const sent = rows
    rows = []
    bus.publish('requests-ended', sent)
  }
  return {
    load: async () => undefined,
    watch: () => undefined,
    // The owner learns of changes through the shared health state.
    healthChanged: () => undefined,
    healthReset: () => undefined,
    budgetReached: (reached) => bus.publish('budget-reached', reached),
    diskChanged: () => undefined,
    change(next) {
      policy = next.alerts
    },
    requestEnded(row) {
      rows.push(row)
      if (rows.length === 1) systemClock.startTimer(FORWARD_AFTER_MS, flush)
      else if (rows.length >= MAX_ROWS) flush()
    },
    get policy() {
      return policy
    },
    flush: async () => undefined,
    acknowledge: elsewhere,
    mute: elsewhere,
    deliveryOf: elsewhere,
    test: elsewhere,
  }
}

/** Passes the observations of workers to the alerts of this process. */
function adoptForwardedAlerts(part: Pick<ProcessPart, 'type' | 'bus'> | undefined, alerts: Alerts): void {
  if (part?.type !== 'owner') return
  const { bus } = part
  bus.on('budget-reached', (reached) => alerts.budgetReached(reached))
  bus.on('requests-ended', (rows) => {
    for (const row of rows) alerts.requestEnded(row)
  })
}
