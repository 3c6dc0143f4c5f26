import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { inputTokensOf, type Usage } from '../canonical/usage.ts'
import type { Observer, RequestRow } from './observer.ts'

export interface Metrics extends Observer {
  /** Whole text of the Prometheus exposition format. */
  render(): Promise<string>
  readonly contentType: string
  setActive(count: number): void
}

const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/** Counts requests, attempts, tokens and losses. Labels hold configured names only, so their number is bounded. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const instruments = createInstruments(registry)
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    setActive: (count) => instruments.active.set(count),
    requestEnded: (row) => count(row, instruments),
  }
}

type Instruments = ReturnType<typeof createInstruments>

function createInstruments(registry: Registry) {
  const registers = [registry]
  const by = ['format', 'model', 'channel']
  return {
    requests: new Counter({
      name: 'headgate_requests_total',
      help: 'Requests answered.',
      labelNames: [...by, 'status', 'error'],
      registers,
    }),
    durations: new Histogram({
      name: 'headgate_request_duration_seconds',
      help: "From a request's head to the last byte of its answer.",
      labelNames: by,
      buckets: durationBuckets,
      registers,
    }),
    firstContent: new Histogram({
      name: 'headgate_first_content_seconds',
      help: "From a request's head to the first content for the caller.",
      labelNames: by,
      buckets: durationBuckets,
      registers,
    }),
    attempts: new Counter({
      name: 'headgate_attempts_total',
      help: 'Calls to channels, by what they came to.',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    tokens: new Counter({
      name: 'headgate_tokens_total',
      help: 'Tokens as the providers counted them; reasoning is part of output.',
      labelNames: ['model', 'channel', 'class'],
      registers,
    }),
    losses: new Counter({
      name: 'headgate_losses_total',
      help: 'Fields that translation could not carry.',
      labelNames: ['feature', 'kind'],
      registers,
    }),
    active: new Gauge({ name: 'headgate_active_requests', help: 'Requests under way.', registers }),
  }
}

function count(row: RequestRow, instruments: Instruments): void {
  const by = { format: row.format ?? '', model: row.model ?? '', channel: row.channel ?? '' }
  instruments.requests.inc({ ...by, status: row.status, error: row.error ?? '' })
  if (row.format !== undefined) instruments.durations.observe(by, row.totalMs / 1_000)
  if (row.firstContentMs !== undefined) instruments.firstContent.observe(by, row.firstContentMs / 1_000)
  for (const { channel, outcome } of row.attempts) instruments.attempts.inc({ channel, outcome })
  for (const { feature, kind } of row.losses) instruments.losses.inc({ feature, kind })
  if (row.usage !== undefined) countTokens(row.usage, by, instruments.tokens)
}

function countTokens(
  usage: Usage,
  { model, channel }: { readonly model: string; readonly channel: string },
  tokens: Counter,
): void {
  const classes = {
    input: inputTokensOf(usage),
    cache_read: usage.cacheReadTokens,
    cache_write: usage.cacheWriteShortTokens + usage.cacheWriteLongTokens,
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
  }
  for (const [name, value] of Object.entries(classes)) {
    if (value > 0) tokens.inc({ model, channel, class: name }, value)
  }
}
