import { describe, expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream, type UpstreamHandler } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const secret = 'sk-account-0123456789abcdef'
const whole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'default',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}
/** 10 tokens of input for a dollar a million and 20 of output for 2: 50 millionths. */
const price = 'models: { m: { price: { input: 1, output: 2 } } }\n'

async function open(key: string, { script, more = '' }: { script?: UpstreamHandler; more?: string } = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(script ?? (() => jsonAnswer(whole))))
  const channels = channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })
  const keys = `keys:\n  - { name: ci, secret: ${secret}, ${key} }\n  - { name: other, secret: ${secret}-other }\n`
  const gateway = cleanup.use(await startGateway(keys + channels + price + more))
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const opened = cleanup.move()
  return {
    gateway,
    upstream,
    async send() {
      const messages = [{ role: 'user', content: 'Hi' }]
      const body = JSON.stringify({ model: 'm', max_tokens: 100, messages })
      const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })
      await response.text()
      return response.status
    },
    async get(path: string) {
      const response = await fetch(gateway.url + path, { headers })
      const body = (await response.json()) as Readonly<Record<string, unknown>>
      return { status: response.status, headers: response.headers, body }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

describe('GET /v1/key', () => {
  const terms =
    'group: search, models: [m, "gpt-*"], expires_at: 2099-01-01T00:00:00Z, rate: { rpm: 60, burst: 3, concurrency: 2 }, ' +
    'tags: { team: ads }, budgets: [{ limit_usd: 5, window: day }, { limit_usd: 0.00001, window: hour, mode: observe }]'
  const more =
    'groups: { search: { models: [m, qwen], multiplier: 2, budgets: [{ limit_usd: 1, window: total }] } }\n' +
    'budgets:\n  - { name: ads, scope: "tag:team=ads", limit_usd: 20, window: month, time_zone: Europe/Berlin }\n' +
    '  - { name: all, scope: installation, limit_usd: 1000, window: month }\n'

  it('shows the permissions of the key, and the remainder of every limit on it', async () => {
    needsOneProcess('each process grants its share of a limit')
    await using opened = await open(terms, { more })
    expect(await opened.send()).toBe(200)
    const { status, headers, body } = await opened.get('/v1/key')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toMatchObject({
      data: {
        label: 'ci',
        group: 'search',
        user: null,
        expires_at: '2099-01-01T00:00:00.000Z',
        models: ['m', 'gpt-*'],
        group_models: ['m', 'qwen'],
        tags: { team: 'ads' },
        caller_tags: false,
        // The group's dollar leaves the least; the smaller budget of the hour only warns.
        limit: 1,
        limit_remaining: 0.9999,
        limit_reset: null,
        usage: 0.0001,
        budgets: [
          {
            name: 'key:ci/day',
            scope: 'key:ci',
            window: 'day',
            limit_usd: 5,
            spent_usd: 0.0001,
            held_usd: 0,
          },
          { name: 'key:ci/hour', mode: 'observe', limit_usd: 0.00001, remaining_usd: 0 },
          { name: 'group:search/total', remaining_usd: 0.9999, resets_at: null },
          { name: 'ads', scope: 'tag:team=ads', time_zone: 'Europe/Berlin', remaining_usd: 19.9999 },
        ],
        credits: [],
        rate_limits: [
          { name: 'key:ci', kind: 'requests', limit: 60, remaining: 2 },
          { name: 'key:ci', kind: 'concurrency', limit: 2, remaining: 2 },
        ],
      },
    })
  })

  it('shows no secret, no other key and nothing about the provider', async () => {
    await using opened = await open(terms, { more })
    const text = JSON.stringify((await opened.get('/v1/key')).body)
    for (const hidden of [secret, 'other', 'installation', 'first']) expect(text).not.toContain(hidden)
  })

  it('shows the amounts that requests in progress reserve', async () => {
    needsOneProcess('each process shows its own holds')
    const gate = Promise.withResolvers<void>()
    await using opened = await open('rate: { concurrency: 4 }, budgets: [{ limit_usd: 5, window: week }]', {
      script: async () => {
        await gate.promise
        return jsonAnswer(whole)
      },
    })
    const sent = opened.send()
    await opened.upstream.request(0)
    const { data } = (await opened.get('/v1/key')).body as {
      readonly data: { readonly budgets: readonly { readonly held_usd: number }[] }
    }
    expect(data).toMatchObject({ limit_reset: 'weekly', rate_limits: [{ remaining: 3 }] })
    // At least 100 tokens of output.
    expect(data.budgets[0]?.held_usd).toBeGreaterThan(0.0002)
    gate.resolve()
    await sent
    expect((await opened.get('/v1/key')).body).toMatchObject({
      data: { budgets: [{ held_usd: 0, spent_usd: 0.00005 }], rate_limits: [{ remaining: 4 }] },
    })
  })

  it('has no limit for a key without one', async () => {
    await using opened = await open('models: ["*"]')
    const { body } = await opened.get('/v1/key')
    expect(body).toMatchObject({ data: { limit: null, limit_remaining: null, usage: null, budgets: [] } })
  })

  it('refuses a request without a key', async () => {
    await using opened = await open('models: ["*"]')
    for (const path of ['/v1/key', '/v1/dashboard/billing/subscription', '/v1/dashboard/billing/usage']) {
      const response = await fetch(opened.gateway.url + path)
      expect([response.status, await response.text()]).toEqual([
        401,
        expect.stringContaining('missing_api_key'),
      ])
    }
  })
})

describe('the billing paths', () => {
  const paths = { subscription: '/v1/dashboard/billing/subscription', usage: '/v1/dashboard/billing/usage' }

  it('return a limit and the used amount, so that the difference is the remainder', async () => {
    await using opened = await open('budgets: [{ limit_usd: 5, window: day }]')
    await opened.send()
    expect((await opened.get(paths.subscription)).body).toMatchObject({
      object: 'billing_subscription',
      hard_limit_usd: 5,
      soft_limit_usd: 5,
      access_until: 0,
    })
    expect((await opened.get(`${paths.usage}?start_date=2026-01-01&end_date=2026-02-01`)).body).toEqual({
      object: 'list',
      total_usage: 0.005,
    })
  })

  it('return the amount in the ledger for the requested days for a key without a limit', async () => {
    await using opened = await open('models: ["*"], expires_at: 2099-01-01T00:00:00Z', {
      more: 'ledger: { durability: strict }\n',
    })
    await opened.send()
    expect((await opened.get(paths.subscription)).body).toMatchObject({
      hard_limit_usd: 100_000_000,
      access_until: Date.parse('2099-01-01T00:00:00Z') / 1_000,
    })
    expect((await opened.get(paths.usage)).body).toEqual({ object: 'list', total_usage: 0.005 })
    const before = await opened.get(`${paths.usage}?start_date=2020-01-01&end_date=2020-02-01`)
    expect(before.body).toEqual({ object: 'list', total_usage: 0 })
  })

  it.each(['start_date=yesterday', 'end_date=2026-02-30', 'start_date=2026-02-01&end_date=2026-01-01'])(
    'refuse invalid days: %s',
    async (query) => {
      await using opened = await open('models: ["*"]')
      const { status, body } = await opened.get(`${paths.usage}?${query}`)
      expect([status, body]).toMatchObject([400, { error: { code: 'invalid_field' } }])
    },
  )
})
