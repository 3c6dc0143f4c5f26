import { expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream, type UpstreamHandler } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess, SHARES } from '../support/topology/needs.ts'

const secret = 'sk-rates-0123456789abcdef'
const whole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}

async function open(key: string, script: UpstreamHandler = () => jsonAnswer(whole)) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(script))
  const channels = channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })
  const gateway = cleanup.use(
    await startGateway(`keys:\n  - { name: ci, secret: ${secret}, ${key} }\n${channels}`),
  )
  const open = cleanup.move()
  const send = async (more: object = {}, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { upstream, send, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

it('requests beyond the burst are refused, with the limit and the time to retry', async () => {
  needsOneProcess(SHARES)
  await using opened = await open('rate: { rpm: 10, burst: 2 }')
  const first = await opened.send()
  expect([first.status, first.headers.get('x-ratelimit-limit-requests')]).toEqual([200, '10'])
  await opened.send()
  const refused = await opened.send()
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(opened.upstream.requests).toHaveLength(2)
})

it('a key has no more requests in progress than its limit, and a slot is free once one has ended', async () => {
  needsOneProcess(SHARES)
  const gate = Promise.withResolvers<void>()
  const script: UpstreamHandler = async (_request, index) => {
    if (index === 0) await gate.promise
    return jsonAnswer(whole)
  }
  await using opened = await open('rate: { concurrency: 1 }', script)
  const first = opened.send()
  await opened.upstream.request(0)
  const second = await opened.send()
  expect([second.status, second.text]).toEqual([
    429,
    expect.stringContaining('requests at one time of key:ci'),
  ])
  gate.resolve()
  expect((await first).status).toBe(200)
  expect((await opened.send()).status).toBe(200)
})

it('a request that may wait is served once there is capacity', async () => {
  await using opened = await open('rate: { rpm: 600, burst: 1, wait: 5s }')
  const answers = await Promise.all([opened.send(), opened.send(), opened.send()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})

it('an end user that a request names has a separate budget', async () => {
  const script: UpstreamHandler = () => jsonAnswer(whole)
  await using opened = await open(
    'end_user_budget: { limit_usd: 0.00005, window: day, mode: estimate } }\nmodels: { m: { price: { input: 1, output: 2 } }',
    script,
  )
  expect((await opened.send({ user: 'alice' })).status).toBe(200)
  // Another process knows of it a second later.
  await expect.poll(async () => (await opened.send({ user: 'alice' })).status).toBe(429)
  expect((await opened.send({ user: 'bob' })).status).toBe(200)
})
