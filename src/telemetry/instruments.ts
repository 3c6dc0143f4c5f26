import { Counter, Gauge, type Registry } from 'prom-client'
import { inputTokensOf, type Usage } from '../canonical/usage.ts'
import { createAlertMetrics } from './alert-metrics.ts'
import { createCaptureMetrics } from './capture-metrics.ts'
import { createCounter, type LabelledSums } from './create-counter.ts'
import { createHistogram } from './create-histogram.ts'
import { createMoneyCounters, createThresholdCounter } from './money-counters.ts'
import type { RequestRow } from './observer.ts'

const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

export type Instruments = ReturnType<typeof createInstruments>

/** Creates the instruments that count requests, their calls and losses. */
export function createInstruments(registry: Registry) {
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
  const histogram = { labelNames: by, buckets: durationBuckets }
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
    durations: createHistogram(registry, {
      name: 'headgate_request_duration_seconds',
      help: "From a request's head to the last byte of its answer.",
      ...histogram,
    }),
    firstContent: createHistogram(registry, {
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
      help: 'Circuit breaker transitions by scope; to is healthy, open or half-open. operation is empty for all operations.',
      labelNames: ['channel', 'scope', 'to', 'reason', 'operation'],
    }),
    healthChecks: createCounter(registry, {
      name: 'headgate_health_checks_total',
      help: 'Active health checks by what was requested and by outcome.',
      labelNames: ['channel', 'asked', 'outcome'],
    }),
  }
}

/** Creates the instruments of losses: fields of requests, lines of the log, rows of the stored log. */
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

/** Counts a request at its end. */
export function countRequest(row: RequestRow, instruments: Instruments): void {
  if (row.isOperator === true) {
    instruments.adminRequests.add([row.method, String(row.status)], 1)
    return
  }
  const { format = '', model = '', channel = '' } = row
  instruments.requests.add([format, model, channel, String(row.status), row.error ?? ''], 1)
  const by = [format, model, channel]
  if (row.format !== undefined) instruments.durations.add(by, row.totalMs / 1_000)
  if (row.firstContentMs !== undefined) instruments.firstContent.add(by, row.firstContentMs / 1_000)
  for (const attempt of row.attempts) instruments.attempts.add([attempt.channel, attempt.outcome], 1)
  for (const { feature, kind } of row.losses) instruments.losses.add([feature, kind], 1)
  countAllTokens(row, instruments.tokens)
}

/** Counts each channel's tokens, also those of broken-off answers. An estimate of ours belongs to no attempt. */
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
