import { expect, it } from 'vitest'
import { createAdminRequest } from '../../test/support/create-admin-request.ts'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import type { HealthLine } from '../routing/health/health-report.ts'
import { healthViewSchema } from './health-contract.ts'
import { createHealthRoutes, type HealthSource } from './health-routes.ts'

const line: HealthLine = {
  channel: 'a',
  scope: 'model',
  credentialId: 'a#1',
  upstreamModel: 'm',
  state: 'open',
  reason: 'rate-limited',
  operations: undefined,
  forMs: 1_000.4,
  waitMs: 250.2,
  calls: 4,
  failures: 3,
  lastFailure: 'upstream_rate_limited',
}

const createParts = () => ({ clock: createFakeClock(), audit: { append: async () => undefined } })

const quiet: HealthSource = {
  report: () => [],
  channels: () => [],
  waiting: () => undefined,
  reset: () => true,
}

async function show(source: Partial<HealthSource>) {
  const [route] = createHealthRoutes({ ...quiet, ...source }, createParts())
  return (await route?.handler(createAdminRequest({})))?.body
}

async function reset(source: Partial<HealthSource>, body: unknown) {
  const [, route] = createHealthRoutes({ ...quiet, ...source }, createParts())
  return route?.handler(createAdminRequest({ body }))
}

it('each entry says what is unhealthy, why and for how long', async () => {
  const body = await show({ report: () => [line] })
  expect(body).toEqual({
    status: 'degraded',
    queue: null,
    channels: [],
    data: [
      {
        channel: 'a',
        scope: 'model',
        credential: 'a#1',
        upstream_model: 'm',
        state: 'open',
        reason: 'rate-limited',
        operations: null,
        since: '2026-11-20T11:59:58.999Z',
        for_ms: 1_000,
        wait_ms: 250,
        calls: 4,
        failures: 3,
        last_failure: 'upstream_rate_limited',
        needs_operator: false,
      },
    ],
  })
  expect(healthViewSchema.parse(body)).toEqual(body)
})

it.each(['refused', 'out-of-credit', 'model-missing', 'insecure'] as const)(
  'an entry that is out of rotation as %s needs an operator',
  async (reason) => {
    expect(await show({ report: () => [{ ...line, reason }] })).toMatchObject({
      data: [{ needs_operator: true }],
    })
  },
)

it('the status is healthy if nothing unhealthy is known', async () => {
  expect(await show({})).toEqual({ status: 'healthy', queue: null, channels: [], data: [] })
})

it('the report lists the load of each channel and the number of waiting requests', async () => {
  const model = { upstreamModel: 'm', callsInFlight: 1, streamMs: 210.4, wholeMs: undefined }
  const body = await show({
    channels: () => [
      { name: 'a', callsInFlight: 2, limit: 4, checks: undefined, modelsList: undefined, models: [model] },
    ],
    waiting: () => ({ count: 3, limit: 1_000 }),
  })
  expect(body).toMatchObject({
    queue: { waiting: 3, size: 1_000 },
    channels: [
      {
        name: 'a',
        calls_in_flight: 2,
        concurrency: 4,
        models: [{ upstream_model: 'm', calls_in_flight: 1, stream_ms: 210, whole_ms: null }],
      },
    ],
  })
  expect(healthViewSchema.parse(body)).toEqual(body)
})

it('a reset by name clears the health of a channel, and an unknown channel is not found', async () => {
  const asked: string[] = []
  const source = {
    reset(name: string) {
      asked.push(name)
      return name === 'a'
    },
  }
  expect((await reset(source, { channel: 'a' }))?.status).toBe(200)
  await expect(reset(source, { channel: 'b' })).rejects.toMatchObject({
    failure: { code: 'config_object_not_found', param: 'channel' },
  })
  await expect(reset(source, {})).rejects.toMatchObject({ failure: { code: 'missing_field' } })
  expect(asked).toEqual(['a', 'b'])
})
