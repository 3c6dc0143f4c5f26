import type { CircuitBreaker } from './circuit-breaker.ts'
import type { HealthLine, ReportedState } from './health-report.ts'
import type { HealthTable } from './health-table.ts'
import type { SlidingCounts } from './sliding-counts.ts'

/** A line for each channel, credential and model of which something is known. */
export function listHealth(records: HealthTable, nowMs: number): readonly HealthLine[] {
  const lines: HealthLine[] = []
  for (const [channel, record] of records.channels) {
    lines.push({ channel, ...ofWhole('channel'), ...describe(record.gate, record.window, nowMs) })
    for (const [id, { gate, models }] of record.credentials) {
      const credentialId = id === '' ? undefined : id
      lines.push({ channel, ...ofWhole('credential'), credentialId, ...describe(gate, undefined, nowMs) })
      for (const [upstreamModel, model] of models) {
        const { lastFailure } = model
        const state = describe(model.gate, model.window, nowMs)
        lines.push({ channel, scope: 'model', credentialId, upstreamModel, ...state, lastFailure })
      }
    }
  }
  return lines
}

function ofWhole<const Scope extends 'channel' | 'credential'>(scope: Scope) {
  return { scope, credentialId: undefined, upstreamModel: undefined, lastFailure: undefined }
}

function describe(gate: CircuitBreaker, window: SlidingCounts | undefined, nowMs: number) {
  window?.advance(nowMs)
  const state = stateOf(gate, nowMs)
  return {
    state,
    reason: state === 'healthy' ? undefined : gate.reason,
    forMs: gate.trips === 0 ? undefined : nowMs - gate.sinceMs,
    waitMs: state === 'healthy' ? 0 : Math.max(0, gate.untilMs - nowMs),
    calls: window?.total ?? 0,
    failures: window?.marked ?? 0,
  }
}

function stateOf(gate: CircuitBreaker, nowMs: number): ReportedState {
  switch (gate.look(nowMs)) {
    case 'open':
      return 'healthy'
    case 'shut':
      return gate.isDegraded ? 'degraded' : 'open'
    case 'due':
    case 'probing':
      return 'half-open'
  }
}
