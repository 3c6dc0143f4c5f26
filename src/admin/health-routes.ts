import type { Clock } from '../kit/clock.ts'
import type { HealthLine } from '../routing/health-report.ts'
import type { AdminRoute } from './admin-route.ts'
import { type HealthView, healthViewSchema } from './health-contract.ts'

/** Where it is known how well channels, their keys and their models are. */
export interface HealthSource {
  /** `nowMs` as the clock's monotonic time. */
  report(nowMs: number): readonly HealthLine[]
}

export function createHealthRoutes(health: HealthSource, clock: Clock): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/health',
      policy: 'admin',
      summary: 'Show how well the channels are, their keys and their models',
      answer: { status: 200, schema: healthViewSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...viewHealth(health.report(clock.monotonicMs())) } }),
    },
  ]
}

function viewHealth(lines: readonly HealthLine[]): HealthView {
  return {
    status: lines.every(({ state }) => state === 'well') ? 'well' : 'impaired',
    data: lines.map((line) => ({
      channel: line.channel,
      scope: line.scope,
      credential: line.credentialId ?? null,
      upstream_model: line.upstreamModel ?? null,
      state: line.state,
      reason: line.reason ?? null,
      for_ms: line.forMs === undefined ? null : Math.round(line.forMs),
      wait_ms: Math.round(line.waitMs),
      calls: line.calls,
      failures: line.failures,
      last_failure: line.lastFailure ?? null,
    })),
  }
}
