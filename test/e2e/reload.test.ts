import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentFormats } from '../support/agent/speech.ts'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { type ChannelText, channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

const otherKey = 'sk-other-0123456789abcdef'
const keysYaml = (...secrets: readonly string[]) =>
  `keys: [${secrets.map((secret, index) => `{ name: k${index}, secret: ${secret} }`).join(', ')}]\n`

async function statusFor(url: string, secret: string, model = 'm'): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
  return response.status
}

it.each(agentFormats)(
  'live streams of the %s format end unchanged while another file takes effect',
  async (format) => {
    const gate = createGate()
    const { frames, bytes } = sampleStreams[format]
    await using before = await openScriptedUpstream(
      sseAnswer([...frames.slice(0, 4), gate.opened, ...frames.slice(4)]),
    )
    await using after = await openScriptedUpstream(sseAnswer([bytes]))
    const channel = ({ origin }: { origin: string }, name: string): ChannelText => ({
      name,
      format,
      origin,
      models: ['m'],
    })
    await using gateway = await startProcess(keysYaml(testKey) + channelYaml(channel(before, 'old')))
    const live = Array.from({ length: 20 }, () => {
      const begun = createGate()
      return { begun, answer: ask({ url: gateway.url, format }, streamRequest('m'), { onBytes: begun.open }) }
    })
    await Promise.all(live.map(({ begun }) => begun.opened))
    const said = await gateway.reload(keysYaml(testKey) + channelYaml(channel(after, 'new')))
    expect(said).toContain('headgate: configuration reloaded: 1 channel, 1 model, 1 key\n')
    const fresh = await ask({ url: gateway.url, format }, streamRequest('m'))
    expect([fresh.headers['x-headgate-channel'], fresh.body.toString()]).toEqual(['new', bytes.toString()])
    gate.open()
    for (const { body, isCut, headers } of await Promise.all(live.map(({ answer }) => answer))) {
      expect([headers['x-headgate-channel'], body.toString(), isCut]).toEqual([
        'old',
        bytes.toString(),
        false,
      ])
    }
    expect([before.requests.length, after.requests.length]).toEqual([20, 1])
  },
)

it('keys that a new file removes stop at once, and new ones work', async () => {
  const demo = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startProcess(keysYaml(testKey) + demo)
  expect(await statusFor(gateway.url, testKey, 'demo-chat')).toBe(200)
  expect(await statusFor(gateway.url, otherKey, 'demo-chat')).toBe(401)
  await gateway.reload(keysYaml(otherKey) + demo)
  expect(await statusFor(gateway.url, testKey, 'demo-chat')).toBe(401)
  expect(await statusFor(gateway.url, otherKey, 'demo-chat')).toBe(200)
})

it('an invalid file changes nothing and gets an error with the position, on one line', async () => {
  const good = `${keysYaml(testKey)}channels: [{ name: demo, provider: demo }]\n`
  await using gateway = await startProcess(good)
  const said = await gateway.reload(`${keysYaml(otherKey)}chanels: []\nretry: { attempts: 0 }`)
  expect(said).toMatch(
    /^headgate: configuration not reloaded, the previous one stays in use: headgate\.yaml:4:1: chanels: is not a known name; did you mean "channels"\?; headgate\.yaml:5:\d+: retry\.attempts: .*\n$/,
  )
  expect(await statusFor(gateway.url, testKey, 'demo-chat')).toBe(200)
  expect(await statusFor(gateway.url, otherKey, 'demo-chat')).toBe(401)
})

it('a file that is gone changes nothing, so that no caller loses a key or gets answers of another channel', async () => {
  await using upstream = await openScriptedUpstream(sseAnswer([sampleStreams.chat.bytes]))
  const channel = channelYaml({ name: 'c', format: 'chat', origin: upstream.origin, models: ['m'] })
  await using gateway = await startProcess(keysYaml(testKey) + channel)
  rmSync(join(gateway.folder, 'headgate.yaml'))
  gateway.child.kill('SIGHUP')
  await until('the file is missed', () => /configuration (not )?reloaded.*/.test(gateway.errors()))
  expect(gateway.errors()).toContain(
    'configuration not reloaded, the previous one stays in use: headgate.yaml: there is no such file',
  )
  expect(await statusFor(gateway.url, testKey)).toBe(200)
})

it('a key whose name exists in the database changes nothing', async () => {
  const demo = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startProcess(keysYaml(testKey) + demo)
  const token = readFileSync(`${gateway.folder}/data/admin-token`, 'utf8').trim()
  const made = await fetch(`${gateway.url}/admin/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'k1' }),
  })
  expect(made.status).toBe(201)
  expect(await gateway.reload(keysYaml(testKey, otherKey) + demo)).toContain('not reloaded')
  expect(await statusFor(gateway.url, testKey, 'demo-chat')).toBe(200)
  expect(await statusFor(gateway.url, otherKey, 'demo-chat')).toBe(401)
})

it('limits, the log level and trusted proxies take effect at once; settings that need a restart are named', async () => {
  const rest = `${keysYaml(testKey)}channels: [{ name: demo, provider: demo }]\n`
  await using gateway = await startProcess(`limits: { body: 10KB }\n${rest}`)
  const send = async () => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${testKey}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.9',
      },
      body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'a'.repeat(40_000) }] }),
    })
    await response.text()
    return response.status
  }
  expect(await send()).toBe(413)
  const said = await gateway.reload(
    `limits: { body: 1MB }\ntrusted_proxies: [127.0.0.1]\nadmin: off\ntls: { cert: server.crt, key: server.key }\n${rest}`,
  )
  expect(said).toContain('not reloaded')
  expect(await send()).toBe(413)
  expect(
    await gateway.reload(`limits: { body: 1MB }\ntrusted_proxies: [127.0.0.1]\nadmin: off\n${rest}`),
  ).toContain('headgate: warning: admin: a change takes effect only after a restart\n')
  expect(await send()).toBe(200)
  await gateway.reload(`limits: { body: 10KB }\nlog: { level: error }\n${rest}`)
  expect(await send()).toBe(413)
  gateway.child.kill('SIGTERM')
  await new Promise((ended) => gateway.child.once('exit', ended))
  const lines = gateway
    .output()
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(lines).toMatchObject([
    { status: 413, address: '127.0.0.1' },
    { status: 413, address: '127.0.0.1' },
    { status: 200, address: '203.0.113.9' },
  ])
})

it('a reload with a damaged price file keeps the prices, and its output and its log say so', async () => {
  const yaml = `${keysYaml(testKey)}channels: [{ name: demo, provider: demo }]\n`
  await using gateway = await startProcess(yaml)
  const file = join(gateway.folder, 'data', 'prices.json')
  writeFileSync(file, JSON.stringify({ source: 'mine', date: '2026-11-24', licence: 'MIT', models: [] }))
  expect(await gateway.reload(yaml)).not.toContain('prices.json')
  writeFileSync(file, '{')
  const line = 'prices.json: is no price table that can be read any more'
  expect(await gateway.reload(yaml)).toContain(line)
  await until('the log has it', () => gateway.output().includes(line))
})

it('an unchanged channel keeps its connections', async () => {
  const { bytes } = sampleStreams.chat
  await using upstream = await openScriptedUpstream(sseAnswer([bytes]))
  const yaml = (more: string) =>
    keysYaml(testKey) +
    channelYaml({ name: 'a', format: 'chat', origin: upstream.origin, models: ['m'], more })
  await using gateway = await startProcess(yaml('priority: 1'))
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  await gateway.reload(yaml('priority: 2'))
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(upstream.requests[1]?.socket === upstream.requests[0]?.socket).toBe(true)
})

it('a list of models from an upstream is kept, so that no request waits for it again', async () => {
  const { bytes } = sampleStreams.chat
  let lists = 0
  await using upstream = await openScriptedUpstream(({ method }) => {
    if (method !== 'GET') return sseAnswer([bytes])
    lists += 1
    return lists === 1 ? { chunks: ['{"data":[{"id":"m"}]}'] } : { ending: 'silence' }
  })
  const yaml = (priority: number) => `${keysYaml(testKey)}channels:
  - { name: a, provider: vllm, base_url: "${upstream.origin}/v1", allow_private: true, priority: ${priority} }\n`
  await using gateway = await startProcess(yaml(1))
  expect(await gateway.reload(yaml(2))).toContain('configuration reloaded')
  const answer = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(answer.body.toString()).toBe(bytes.toString())
})

it('a ledger that a new file makes strict has the row of each answer that has ended', async () => {
  const demo = `${keysYaml(testKey)}channels: [{ name: demo, provider: demo }]\n`
  await using gateway = await startProcess(demo)
  await gateway.reload(`${demo}ledger: { durability: strict }\n`)
  const admin = createAskAdmin(gateway.url, readFileSync(join(gateway.folder, 'data', 'admin-token'), 'utf8'))
  for (let requests = 0; requests < 5; requests += 1) {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await answer.text()
    const id = answer.headers.get('x-request-id')
    const { body } = await admin('GET', `/ledger?request_id=${id}`)
    expect(body).toMatchObject({ data: [{ request_id: id, attempt: 1 }] })
  }
})
