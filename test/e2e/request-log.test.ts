import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { keyListSchema } from '../../src/admin/keys/key-contract.ts'
import { errorRow } from '../../src/canonical/error-table.ts'
import type { CommandContext } from '../../src/cli/command-context.ts'
import { registerKeysCommand } from '../../src/cli/keys.ts'
import { registerLogsCommand } from '../../src/cli/logs.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { needsOneFolder, needsOneProcess } from '../support/topology/needs.ts'

const PROMPT = 'the prompt that nobody may read again'
const yaml = 'channels: [{ name: demo, provider: demo }]\n'

async function send(gateway: StartedGateway, model: string) {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: PROMPT }] }),
  })
  const sent = { id: response.headers.get('x-request-id') ?? '', text: await response.text() }
  // Another process may still be writing the row.
  await expect.poll(async () => (await ask(gateway, `/requests/${sent.id}`)).status).not.toBe(404)
  return sent
}

async function ask(gateway: StartedGateway, path: string) {
  const response = await fetch(`${gateway.url}/admin/v1${path}`, {
    headers: { authorization: `Bearer ${testAdminToken}` },
  })
  const body: unknown = await response.json()
  return { status: response.status, body }
}

/** Runs `headgate logs …` or `headgate keys …` in this process. */
async function run(folder: string, argv: readonly string[], group: 'logs' | 'keys' = 'logs') {
  const ran = { out: '', error: '', code: 0 }
  const program = new Command('headgate').exitOverride()
  const context: CommandContext = {
    dataFolder: () => folder,
    adminToken: () => testAdminToken,
    io: {
      write: (text) => {
        ran.out += text
      },
      writeError: (text) => {
        ran.error += text
      },
      isTerminal: false,
      setExitCode: (code) => {
        ran.code = code
      },
    },
  }
  registerLogsCommand(program, context)
  registerKeysCommand(program, context)
  await program.parseAsync(['node', 'headgate', group, ...argv])
  return ran
}

it('the admin API explains the error of a failed request', async () => {
  await using gateway = await startGateway(yaml)
  const [answered, refused] = [await send(gateway, 'demo-chat'), await send(gateway, 'no-such-model')]
  expect((await ask(gateway, `/requests/${refused.id}`)).body).toMatchObject({
    error: 'model_not_found',
    error_message: errorRow('model_not_found').message,
  })
  expect((await ask(gateway, `/requests/${answered.id}`)).body).toMatchObject({
    error: null,
    error_message: null,
  })
})

it('the admin API lists ended requests by any filter, page by page, and returns one in full', async () => {
  needsOneProcess('rows of several processes have no fixed order')
  await using gateway = await startGateway(yaml)
  const answered = [await send(gateway, 'demo-chat'), await send(gateway, 'demo-chat')]
  const refused = await send(gateway, 'no-such-model')
  expect((await ask(gateway, '/requests?limit=2')).body).toMatchObject({
    data: [
      { request_id: refused.id, status: 404, error: 'model_not_found', model: null, key: 'test' },
      { request_id: answered[1]?.id, status: 200, error: null, model: 'demo-chat', channel: 'demo' },
    ],
    has_more: true,
    next: 2,
  })
  expect((await ask(gateway, '/requests?limit=2&before=2')).body).toMatchObject({
    data: [{ request_id: answered[0]?.id }],
    has_more: false,
    next: null,
  })
  const filters = 'key=test&channel=demo&model=demo-chat&status=2xx&since=2020-01-01T00:00:00Z&min_ms=0'
  expect((await ask(gateway, `/requests?${filters}`)).body).toMatchObject({ data: [{ id: 2 }, { id: 1 }] })
  expect((await ask(gateway, '/requests?until=2020-01-01T00:00:00Z')).body).toMatchObject({ data: [] })
  expect((await ask(gateway, `/requests/${answered[0]?.id}`)).body).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    attempts: [{ channel: 'demo', outcome: 'answered', upstream_status: 200 }],
    usage: { estimated: false },
  })
  expect((await ask(gateway, `/requests/${refused.id}`)).body).toMatchObject({
    cause: 'no channel and no alias has the model "no-such-model"',
  })
})

it('the requests of a channel are those that it answered and those that failed there first', async () => {
  await using failing = await openScriptedUpstream(() => ({ status: 500, body: '{}' }))
  await using gateway = await startGateway(`channels:
  - { name: first, provider: openai-compatible, base_url: "${failing.origin}/v1", allow_private: true, api_key: sk-up-1234567890, models: [demo-chat], priority: 9 }
  - { name: demo, provider: demo }
keys: [{ name: test, secret: ${testKey}, models: ["*"] }]
`)
  const { id } = await send(gateway, 'demo-chat')
  for (const channel of ['first', 'demo'])
    expect((await ask(gateway, `/requests?channel=${channel}`)).body, channel).toMatchObject({
      data: [{ request_id: id, channel: 'demo' }],
    })
  expect((await ask(gateway, '/requests?channel=first&status=5xx')).body).toMatchObject({ data: [] })
  expect((await run(gateway.dataFolder, ['--channel', 'first', '--json'])).out).toContain(id)
})

/** A gateway whose model m costs 120 millionths of a dollar a request. */
async function openPriced() {
  const answer = {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 15 },
    },
  }
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(() => jsonAnswer(answer)))
  const channel = {
    name: 'first',
    format: 'chat',
    origin: upstream.origin,
    models: ['m', 'unpriced'],
  } as const
  const gateway = cleanup.use(
    await startGateway(`${channelYaml(channel)}
models: { m: { price: { input: 1, cached_input: 0.5, output: 2 } } }
groups: { team: { models: ["*"], multiplier: 1.5 } }
keys:
  - { name: test, secret: ${testKey}, group: team }
  - { name: idle, secret: ${testKey}-idle, models: ["*"] }
`),
  )
  const open = cleanup.move()
  return { ...gateway, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

it('a request has its cost in lists, in full and in the command, and none if it has no price', async () => {
  await using gateway = await openPriced()
  const { id } = await send(gateway, 'm')
  await send(gateway, 'unpriced')
  const sums = { cost_usd: 0.00012, charged_usd: 0.00018 }
  const tokens = { cache_read_tokens: 40, cache_write_tokens: 0, reasoning_tokens: 15 }
  expect((await ask(gateway, '/requests')).body).toMatchObject({
    data: [
      { model: 'unpriced', input_tokens: 100, ...tokens, cost_usd: null, charged_usd: null },
      { model: 'm', input_tokens: 100, output_tokens: 20, ...tokens, ...sums },
    ],
  })
  expect((await ask(gateway, `/requests/${id}`)).body).toMatchObject({ ...sums, attempts: [sums] })
  const { out } = await run(gateway.dataFolder, [])
  expect(out).toMatch(/ TOKENS +CACHED +COST USD +ERROR/)
  expect(out).toMatch(/ m +first +100\+20 +40 +0\.00012 +-/)
  expect(out).toMatch(/ unpriced +first +100\+20 +40 +- +-/)
  const shown = (await run(gateway.dataFolder, ['show', id])).out
  expect(shown).toContain('cost: 0.00012 US dollars; the caller is charged 0.00018 US dollars\n')
})

it('lists of keys have the cost of each in this month', async () => {
  await using gateway = await openPriced()
  await send(gateway, 'm')
  const listKeys = async () => keyListSchema.parse((await ask(gateway, '/keys')).body).data
  const costs = async () =>
    Object.fromEntries((await listKeys()).map((key) => [key.name, key.cost_this_month_usd]))
  // A row is written within a tenth of a second of its request's end.
  await expect.poll(costs).toEqual({ test: 0.00012, idle: 0 })
  const { out } = await run(gateway.dataFolder, ['list'], 'keys')
  expect(out).toMatch(/ COST THIS MONTH +EXPIRES/)
  expect(out).toMatch(/^test .* 0\.00012 /m)
  await gateway.close(0)
  const offline = await run(gateway.dataFolder, ['list'], 'keys')
  expect(offline.out).toMatch(/^test .*Z +- +- +file/m)
})

it('an invalid query is answered 400 with its parameter, an unknown request 404', async () => {
  await using gateway = await startGateway(yaml)
  const wrong = [
    'limit=0',
    'limit=many',
    'status=9xx',
    'since=yesterday',
    'before=-1',
    'stream=maybe',
    'colour=red',
  ]
  for (const query of wrong) {
    const param = query.split('=')[0]
    const { status, body } = await ask(gateway, `/requests?${query}`)
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'invalid_field', param } } })
  }
  expect(await ask(gateway, '/requests/req_nobody')).toMatchObject({
    status: 404,
    body: { error: { code: 'request_not_found' } },
  })
  expect((await fetch(`${gateway.url}/admin/v1/requests`)).status).toBe(401)
})

it('the file contains no prompts, answers or secrets, and the command reads it from the server', async () => {
  needsOneFolder('it reads the file of the data folder')
  await using gateway = await startGateway(yaml)
  const { id, text } = await send(gateway, 'demo-chat')
  await send(gateway, PROMPT)
  const listed = await run(gateway.dataFolder, ['--model', 'demo-chat', '--since', '1h'])
  expect(listed).toMatchObject({ error: '', code: 0 })
  expect(listed.out).toMatch(new RegExp(`^ENDED.*\\n.* 200 .* test .* demo-chat .* demo .* ${id}\\n$`))
  expect(JSON.parse((await run(gateway.dataFolder, ['--json', '--limit', '1'])).out)).toMatchObject({
    status: 404,
  })
  const shown = (await run(gateway.dataFolder, ['show', id])).out
  expect(shown).toContain(`${id}: POST /v1/chat/completions\n`)
  expect(shown).toMatch(/was tried:\n {4}1\. demo\/demo-chat.*: answered, status 200;/)
  expect(await run(gateway.dataFolder, ['show', 'req_nobody'])).toMatchObject({ code: 1 })
  const answer: unknown = JSON.parse(text).choices[0].message.content
  const files = readdirSync(gateway.dataFolder).filter((name) => name.startsWith('requests.db'))
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(gateway.dataFolder, name))))
  expect(bytes.includes('demo-chat')).toBe(true)
  for (const secret of [PROMPT, String(answer), testKey, testAdminToken])
    expect(bytes.includes(secret)).toBe(false)
})

it('a disabled log reports that, and requests are served', async () => {
  await using gateway = await startGateway(`${yaml}request_log: off\n`)
  expect((await send(gateway, 'demo-chat')).text).toContain('choices')
  expect(await ask(gateway, '/requests')).toMatchObject({
    status: 503,
    body: { error: { code: 'store_unavailable' } },
  })
  expect(readdirSync(gateway.dataFolder)).not.toContain('requests.db')
})

it("an operator's requests, refused ones too, appear neither as rows nor as callers' requests in the metrics", async () => {
  await using gateway = await startGateway(yaml)
  await send(gateway, 'demo-chat')
  await ask(gateway, '/keys')
  const refused = await fetch(`${gateway.url}/admin/v1/keys`, { headers: { authorization: 'Bearer wrong' } })
  expect(refused.status).toBe(401)
  const { body } = await ask(gateway, '/requests')
  expect(body).toMatchObject({ data: [{ status: 200, model: 'demo-chat' }] })
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  expect(metrics).not.toContain('headgate_requests_total{format=""')
  expect(metrics).toContain('headgate_admin_requests_total{method="GET",status="401"} 1')
})
