import type { ModelOperation } from '../candidate.ts'
import type { SlidingCounts } from '../sliding-counts.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { HealthLine, ReportedState } from './health-report.ts'
import type { HealthTable } from './health-table.ts'

/** Lists one line for each channel, credential and model that has a record. */
export function listHealth(records: HealthTable, monotonicMs: number): readonly HealthLine[] {
  const lines: HealthLine[] = []
  for (const [channel, record] of records.channels) {
    lines.push({ channel, ...ofWhole('channel'), ...describe(record.circuit, record.window, monotonicMs) })
    for (const [id, { circuit, models }] of record.credentials) {
      const credentialId = id === '' ? undefined : id
      lines.push({
        channel,
        ...ofWhole('credential'),
        credentialId,
        ...describe(circuit, undefined, monotonicMs),
      })
      for (const [upstreamModel, model] of models) {
        const { lastFailure } = model
        const state = describe(model.circuit, model.window, monotonicMs)
        lines.push({ channel, scope: 'model', credentialId, upstreamModel, ...state, lastFailure })
      }
    }
  }
  return lines
}

function ofWhole<const Scope extends 'channel' | 'credential'>(scope: Scope) {
  return { scope, credentialId: undefined, upstreamModel: undefined, lastFailure: undefined }
}

function describe(circuit: CircuitBreaker, window: SlidingCounts | undefined, monotonicMs: number) {
  window?.advance(monotonicMs)
  const state = stateOf(circuit, monotonicMs)
  return {
    state,
    reason: state === 'healthy' ? undefined : circuit.reason,
    operations: state === 'healthy' ? undefined : operationsOf(circuit),
    forMs: circuit.trips === 0 ? undefined : monotonicMs - circuit.sinceMs,
    waitMs: state === 'healthy' ? 0 : Math.max(0, circuit.untilMs - monotonicMs),
    calls: window?.total ?? 0,
    failures: window?.marked ?? 0,
  }
}

/** The operations that a circuit breaker concerns, in the order of their first failures. */
export function operationsOf({ operations }: CircuitBreaker): readonly ModelOperation[] | undefined {
  return operations === undefined ? undefined : [...operations]
}

function stateOf(circuit: CircuitBreaker, monotonicMs: number): ReportedState {
  switch (circuit.stateAt(monotonicMs)) {
    case 'closed':
      return 'healthy'
    case 'open':
      return circuit.isDegraded ? 'degraded' : 'open'
    case 'half-open-due':
    case 'half-open':
      return 'half-open'
  }
}
