import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import type { HealthLine } from '../routing/health-report.ts'
import { healthViewSchema } from './health-contract.ts'
import { createHealthRoutes } from './health-routes.ts'

const line: HealthLine = {
  channel: 'a',
  scope: 'model',
  credentialId: 'a#1',
  upstreamModel: 'm',
  state: 'shut',
  reason: 'rate-limited',
  forMs: 1_000.4,
  waitMs: 250.2,
  calls: 4,
  failures: 3,
  lastFailure: 'upstream_rate_limited',
}

async function show(lines: readonly HealthLine[]) {
  const [route] = createHealthRoutes({ report: () => lines }, createFakeClock())
  return (await route?.handler({ params: {}, query: {}, body: undefined }))?.body
}

it('each line tells what is not well, why and for how long', async () => {
  const body = await show([line])
  expect(body).toEqual({
    status: 'impaired',
    data: [
      {
        channel: 'a',
        scope: 'model',
        credential: 'a#1',
        upstream_model: 'm',
        state: 'shut',
        reason: 'rate-limited',
        for_ms: 1_000,
        wait_ms: 250,
        calls: 4,
        failures: 3,
        last_failure: 'upstream_rate_limited',
      },
    ],
  })
  expect(healthViewSchema.parse(body)).toEqual(body)
})

it('where nothing is known to be unwell, all is well', async () => {
  expect(await show([])).toEqual({ status: 'well', data: [] })
})
