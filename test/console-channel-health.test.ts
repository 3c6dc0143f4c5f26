import { expect, it } from 'vitest'
import { countStates, type HealthLine } from '../console/src/health/sum-up-health.ts'
import type { HealthView } from '../src/admin/health-contract.ts'

const channels: HealthView['channels'] = ['openai', 'spare', 'demo'].map((name) => ({
  name,
  calls_in_flight: 0,
  concurrency: null,
  models_list: null,
  checks: null,
  models: [],
}))

const healthyLine: HealthLine = {
  channel: 'openai',
  scope: 'channel',
  credential: null,
  upstream_model: null,
  state: 'healthy',
  reason: null,
  operations: null,
  since: null,
  for_ms: null,
  wait_ms: 0,
  calls: 3,
  failures: 0,
  last_failure: null,
  needs_operator: false,
}

it('a channel that was never called is not healthy', () => {
  expect(countStates({ channels, data: [healthyLine] })).toMatchObject({ healthy: 1, unused: 2 })
})

it('a channel with one open circuit breaker of two is degraded', () => {
  const data: HealthLine[] = [healthyLine, { ...healthyLine, scope: 'credential', state: 'open' }]
  expect(countStates({ channels, data })).toMatchObject({ healthy: 0, degraded: 1, unused: 2 })
})
