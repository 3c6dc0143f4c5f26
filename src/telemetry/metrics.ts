import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { inputTokensOf, type Usage } from '../canonical/usage.ts'
import { addUpMetrics } from './add-up-metrics.ts'
import { type AlertMetrics, createAlertMetrics } from './alert-metrics.ts'
import { type CaptureMetrics, createCaptureMetrics } from './capture-metrics.ts'
import { createCounter, type LabelledSums } from './create-counter.ts'
import { addHealthGauges, type HealthReading } from './health-gauges.ts'
import { type MetricDescription, metricSchema } from './metric-schema.ts'
import {
  addUnpricedGauge,
  type BudgetThreshold,
  createMoneyCounters,
  createThresholdCounter,
} from './money-counters.ts'
import type { ObservedHealthChange } from './observed-health-change.ts'
import type { Observer, RequestRow } from './observer.ts'
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
  /** The metrics as plain data, for another process that renders them with its own. */
  dump(): Promise<readonly object[]>
  /** Renders the sums of these and what other processes dumped. */
  renderWith(others: readonly (readonly object[])[]): Promise<string>
  readonly contentType: string
  /** Every metric, those of the process and of Node included; rules and dashboards are made from it. */
  describe(): readonly MetricDescription[]
  /** Sets the source of the number of requests in progress. */
  watchActive(read: () => number): void
  /** Sets the source of the number of open WebSocket connections. */
  watchSockets(read: () => number): void
  /** Sets the source of the space on the disk. */
  watchDisk(read: () => DiskReading): void
  /** Sets the source of the names of models without a price. */
  watchUnpriced(read: () => readonly string[]): void
  healthChanged(change: ObservedHealthChange): void
  /** Counts an active health check; `cause` where it failed. */
  healthChecked(check: {
    readonly channel: string
    readonly asked: string
    readonly cause: string | undefined
  }): void
  /** Called when a share of a budget is spent. */
  budgetReached(reached: BudgetThreshold): void
  readonly alerts: AlertMetrics
  readonly captures: CaptureMetrics
  /** Sets the source of the gauges of health. */
  watchHealth(read: () => HealthReading): void
  /** Counts lines that the log lost. */
  addDroppedLines(count: number): void
  /** Whether the ledger is written, and rows that it lost. */
  readonly ledger: { setUp(isUp: boolean): void; addDropped(count: number): void }
  /** Whether the stored request log is written, and rows that it lost. */
  readonly requestLog: { setUp(isUp: boolean): void; addDropped(count: number): void }
}

const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/** Counts requests, attempts, tokens and losses. Labels hold configured names only, so their number is bounded. */
export function createMetrics(build: BuildInfo): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addBuildInfo(registry, build)
  const instruments = createInstruments(registry)
  let readActive = () => 0
  addActiveGauge(registry, () => readActive())
  let readSockets = () => 0
  addSocketGauge(registry, () => readSockets())
  let readDisk: (() => DiskReading) | undefined
  addDiskGauges(registry, () => readDisk?.())
  let readUnpriced: () => readonly string[] = () => []
  addUnpricedGauge(registry, () => readUnpriced())
  let readHealth: (() => HealthReading) | undefined
  addHealthGauges(registry, () => readHealth?.())
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    describe: () => registry.getMetricsAsArray().map((metric) => metricSchema.parse(metric)),
    dump: () => registry.getMetricsAsJSON(),
    renderWith: async (others) => addUpMetrics([await registry.getMetricsAsJSON(), ...others]),
    watchDisk(read) {
      readDisk = read
    },
    watchUnpriced(read) {
      readUnpriced = read
    },
    watchSockets(read) {
      readSockets = read
    },
    watchActive(read) {
      readActive = read
    },
    healthChanged: ({ channel, scope, to, reason }) =>
      instruments.healthChanges.add([channel, scope, to, reason], 1),
    healthChecked: ({ channel, asked, cause }) =>
      instruments.healthChecks.add([channel, asked, cause === undefined ? 'passed' : 'failed'], 1),
    budgetReached: (reached) => instruments.thresholds.count(reached),
    alerts: instruments.alerts,
    captures: instruments.captures,
    watchHealth(read) {
      readHealth = read
    },
    requestEnded: (row) => count(row, instruments),
    addDroppedLines: (count) => instruments.droppedLines.inc(count),
    ledger: {
      setUp: (isUp) => instruments.ledgerUp.set(isUp ? 1 : 0),
      addDropped: (count) => instruments.droppedLedgerRows.inc(count),
    },
    requestLog: {
      setUp: (isUp) => instruments.requestLogUp.set(isUp ? 1 : 0),
      addDropped: (count) => instruments.droppedRows.inc(count),
    },
  }
}

type Instruments = ReturnType<typeof createInstruments>

function createInstruments(registry: Registry) {
  return {
    ...createRequestInstruments(registry),
    ...createUpstreamInstruments(registry),
    ...createLossInstruments(registry),
    money: createMoneyCounters(registry),
    thresholds: createThresholdCounter(registry),
    alerts: createAlertMetrics(registry),
    captures: createCaptureMetrics(registry),
  }
}

function createRequestInstruments(registry: Registry) {
  const by = ['format', 'model', 'channel']
  const histogram = { labelNames: by, buckets: durationBuckets, registers: [registry] }
  return {
    requests: createCounter(registry, {
      name: 'headgate_requests_total',
      help: 'Requests answered.',
      labelNames: [...by, 'status', 'error'],
    }),
    adminRequests: createCounter(registry, {
      name: 'headgate_admin_requests_total',
      help: 'Requests of the admin API.',
      labelNames: ['method', 'status'],
    }),
    durations: new Histogram({
      name: 'headgate_request_duration_seconds',
      help: "From a request's head to the last byte of its answer.",
      ...histogram,
    }),
    firstContent: new Histogram({
      name: 'headgate_first_content_seconds',
      help: "From a request's head to the first content for the caller.",
      ...histogram,
    }),
  }
}

function createUpstreamInstruments(registry: Registry) {
  return {
    attempts: createCounter(registry, {
      name: 'headgate_attempts_total',
      help: 'Calls to channels by outcome.',
      labelNames: ['channel', 'outcome'],
    }),
    tokens: createCounter(registry, {
      name: 'headgate_tokens_total',
      help: 'Tokens as reported by the providers; output includes reasoning.',
      labelNames: ['model', 'channel', 'class'],
    }),
    healthChanges: createCounter(registry, {
      name: 'headgate_health_changes_total',
      help: 'Circuit breaker transitions by scope; to is healthy, open or half-open.',
      labelNames: ['channel', 'scope', 'to', 'reason'],
    }),
    healthChecks: createCounter(registry, {
      name: 'headgate_health_checks_total',
      help: 'Active health checks by what was requested and by outcome.',
      labelNames: ['channel', 'asked', 'outcome'],
    }),
  }
}

/** The instruments of what was lost: fields of requests, lines of the log, rows of the stored log. */
function createLossInstruments(registry: Registry) {
  const registers = [registry]
  return {
    losses: createCounter(registry, {
      name: 'headgate_losses_total',
      help: 'Fields that translation could not carry.',
      labelNames: ['feature', 'kind'],
    }),
    droppedLines: new Counter({
      name: 'headgate_log_dropped_lines_total',
      help: 'Lines dropped from the log on standard output.',
      registers,
    }),
    ledgerUp: new Gauge({
      name: 'headgate_ledger_up',
      help: '1 while the ledger can be written.',
      aggregator: 'min',
      registers,
    }),
    droppedLedgerRows: new Counter({
      name: 'headgate_ledger_dropped_rows_total',
      help: 'Rows of the ledger that were lost while it could not be written.',
      registers,
    }),
    requestLogUp: new Gauge({
      name: 'headgate_request_log_up',
      help: '1 while the stored request log can be written.',
      aggregator: 'min',
      registers,
    }),
    droppedRows: new Counter({
      name: 'headgate_request_log_dropped_rows_total',
      help: 'Requests dropped from the stored request log.',
      registers,
    }),
  }
}

function count(row: RequestRow, instruments: Instruments): void {
  if (row.isOperator === true) {
    instruments.adminRequests.add([row.method, String(row.status)], 1)
    return
  }
  const { format = '', model = '', channel = '' } = row
  instruments.requests.add([format, model, channel, String(row.status), row.error ?? ''], 1)
  const by = { format, model, channel }
  if (row.format !== undefined) instruments.durations.observe(by, row.totalMs / 1_000)
  if (row.firstContentMs !== undefined) instruments.firstContent.observe(by, row.firstContentMs / 1_000)
  for (const attempt of row.attempts) instruments.attempts.add([attempt.channel, attempt.outcome], 1)
  for (const { feature, kind } of row.losses) instruments.losses.add([feature, kind], 1)
  countAllTokens(row, instruments.tokens)
  if (row.cost !== undefined) instruments.money.count(row)
}

/** Each channel's own, also of answers that broke off; an estimate of ours belongs to no attempt. */
function countAllTokens(
  { usage, attempts, model = '', channel = '' }: RequestRow,
  tokens: LabelledSums,
): void {
  const isOfAttempts = attempts.some((attempt) => attempt.usage !== undefined)
  if (!isOfAttempts && usage !== undefined) countTokens(usage, [model, channel], tokens)
  for (const attempt of attempts)
    if (attempt.usage !== undefined) countTokens(attempt.usage, [model, attempt.channel], tokens)
}

function countTokens(usage: Usage, [model, channel]: readonly [string, string], tokens: LabelledSums): void {
  const addSome = (name: string, value: number) => {
    if (value > 0) tokens.add([model, channel, name], value)
  }
  addSome('input', inputTokensOf(usage))
  addSome('cache_read', usage.cacheReadTokens)
  addSome('cache_write', usage.cacheWriteShortTokens + usage.cacheWriteLongTokens)
  addSome('output', usage.outputTokens)
  addSome('reasoning', usage.reasoningTokens)
}
