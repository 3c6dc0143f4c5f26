import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { AlertMetrics } from './alert-metrics.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import { addHealthGauges, type HealthReading } from './health-gauges.ts'
import { countRequest, createInstruments } from './instruments.ts'
import { type MetricDescription, metricSchema } from './metric-schema.ts'
import {
  addPriceFileGauge,
  addUnpricedGauge,
  type BudgetThreshold,
  type CountedRow,
} from './money-counters.ts'
import type { ObservedHealthChange } from './observed-health-change.ts'
import type { Observer } from './observer.ts'
import {
  addActiveGauge,
  addBuildInfo,
  addDiskGauges,
  addSocketGauge,
  type BuildInfo,
  type DiskReading,
} from './process-gauges.ts'

export interface Metrics extends Observer {
  /** The metrics as text in Prometheus's exposition format. */
  render(): Promise<string>
  /** The metrics as plain data, for another process that merges them with its own. */
  dump(): Promise<readonly object[]>
  /** Renders the sums of processes' dumps. */
  renderSum(dumps: readonly (readonly object[])[]): Promise<string>
  readonly contentType: string
  /**
   * Describes every metric, including those of the process and of Node. Alert rules and dashboards are made from it.
   */
  describe(): readonly MetricDescription[]
  /** Sets the source of the number of requests in progress. */
  watchActive(read: () => number): void
  /** Sets the source of the number of open WebSocket connections. */
  watchSockets(read: () => number): void
  /** Sets the source of the space on the disk. */
  watchDisk(read: () => DiskReading): void
  /** Sets the source of the names of models without a price. */
  watchUnpriced(read: () => readonly string[]): void
  /** Sets the source that says whether the operator's price file can be read. */
  watchPriceFile(read: () => boolean): void
  healthChanged(change: ObservedHealthChange): void
  /** Counts an active health check. `cause` is set where the check failed. */
  healthChecked(check: {
    readonly channel: string
    readonly type: string
    readonly cause: string | undefined
  }): void
  /** Counts that a share of a budget is spent. */
  budgetReached(reached: BudgetThreshold): void
  readonly alerts: AlertMetrics
  readonly captures: CaptureMetrics
  /** Sets the source of the gauges of health. */
  watchHealth(read: () => HealthReading): void
  /** Counts lines that the log lost. */
  addDroppedLines(count: number): void
  /** Records whether the ledger is writable, and counts the money of its rows and the rows that it lost. */
  readonly ledger: {
    setUp(isUp: boolean): void
    addDropped(count: number): void
    rowRecorded(row: CountedRow): void
  }
  /** Records whether the stored request log is writable, and counts rows that it lost. */
  readonly requestLog: { setUp(isUp: boolean): void; addDropped(count: number): void }
}

/**
 * Creates the metrics of requests, attempts, tokens and losses. Labels are configured names only, so their number is
 * bounded.
 */
export function createMetrics(build: BuildInfo): Metrics {
  const registry = new Registry()
  addProcessMetrics(registry)
  addBuildInfo(registry, build)
  const instruments = createInstruments(registry)
  const { healthChanges, healthChecks, thresholds, alerts, captures } = instruments
  return {
    ...createRendering(registry),
    ...createGauges(registry),
    healthChanged({ channel, scope, to, reason, operations = [''] }) {
      for (const operation of operations) healthChanges.add([channel, scope, to, reason, operation], 1)
    },
    healthChecked: ({ channel, type, cause }) =>
      healthChecks.add([channel, type, cause === undefined ? 'passed' : 'failed'], 1),
    budgetReached: (reached) => thresholds.count(reached),
    alerts,
    captures,
    requestEnded: (row) => countRequest(row, instruments),
    addDroppedLines: (count) => instruments.droppedLines.inc(count),
    ledger: {
      setUp: (isUp) => instruments.ledgerUp.set(isUp ? 1 : 0),
      addDropped: (count) => instruments.droppedLedgerRows.inc(count),
      rowRecorded: (row) => instruments.money.count(row),
    },
    requestLog: {
      setUp: (isUp) => instruments.requestLogUp.set(isUp ? 1 : 0),
      addDropped: (count) => instruments.droppedRows.inc(count),
    },
  }
}

type Rendering = Pick<Metrics, 'contentType' | 'render' | 'describe' | 'dump' | 'renderSum'>

/** The metrics of which several processes show the highest value. */
const HIGHEST_VALUE = /^nodejs_eventloop_lag_(?:p\d+_)?seconds$/

/** The metrics of Node and of the process. */
const processMetrics = new Registry()

/**
 * Adds the metrics of the process. Their observers of garbage collections and of the event loop have no end, so all
 * gateways of a process, such as those of its warm-up, share them.
 */
function addProcessMetrics(registry: Registry): void {
  if (processMetrics.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: processMetrics })
  for (const { name } of processMetrics.getMetricsAsArray()) {
    const metric = processMetrics.getSingleMetric(name)
    if (metric === undefined) continue
    // An average would hide a process that is slow next to others that have nothing to do.
    if (HIGHEST_VALUE.test(name)) Object.assign(metric, { aggregator: 'max' })
    registry.registerMetric(metric)
  }
}

function createRendering(registry: Registry): Rendering {
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    describe: () => registry.getMetricsAsArray().map((metric) => metricSchema.parse(metric)),
    dump: () => registry.getMetricsAsJSON(),
    // The `aggregator` of a gauge says how to merge it where a sum makes no sense.
    renderSum: (dumps) => AggregatorRegistry.aggregate(dumps.map((dump) => [...dump])).metrics(),
  }
}

type Gauges = Pick<
  Metrics,
  'watchActive' | 'watchSockets' | 'watchDisk' | 'watchUnpriced' | 'watchPriceFile' | 'watchHealth'
>

/** Creates the gauges. Each reads its value at the scrape, from the source that was set last. */
function createGauges(registry: Registry): Gauges {
  const active = createSource(0)
  const sockets = createSource(0)
  const disk = createSource<DiskReading | undefined>(undefined)
  const unpriced = createSource<readonly string[]>([])
  const priceFile = createSource(true)
  const health = createSource<HealthReading | undefined>(undefined)
  addActiveGauge(registry, active.read)
  addSocketGauge(registry, sockets.read)
  addDiskGauges(registry, disk.read)
  addUnpricedGauge(registry, unpriced.read)
  addPriceFileGauge(registry, priceFile.read)
  addHealthGauges(registry, health.read)
  return {
    watchActive: active.watch,
    watchSockets: sockets.watch,
    watchDisk: disk.watch,
    watchUnpriced: unpriced.watch,
    watchPriceFile: priceFile.watch,
    watchHealth: health.watch,
  }
}

interface Source<Value> {
  readonly read: () => Value
  readonly watch: (read: () => Value) => void
}

function createSource<Value>(first: Value): Source<Value> {
  let current = () => first
  return {
    read: () => current(),
    watch(read) {
      current = read
    },
  }
}
