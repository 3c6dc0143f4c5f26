import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  captureListSchema,
  captureStatusSchema,
  captureViewSchema,
} from '../../src/admin/captures/capture-contract.ts'
import { registerCapturesCommand } from '../../src/cli/monitoring/captures.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedAnswer,
  type ScriptedUpstream,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { needsOneFolder, needsOneProcess } from '../support/topology/needs.ts'

const promptCanary = 'canary-of-the-prompt-5f1c'
const answerCanary = 'canary-of-the-answer-9b2e'
const otherKey = 'sk-other-0123456789abcdef'
const keys = `keys:
  - { name: test, secret: ${testKey} }
  - { name: other, secret: ${otherKey}, group: search }
groups: { search: { models: ["*"] } }
`

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const stream = [
  chunk({ role: 'assistant', content: 'The ' }),
  chunk({ content: answerCanary.slice(0, 10) }),
  chunk({ content: answerCanary.slice(10) }),
]
const whole = jsonAnswer({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: `It is ${answerCanary}` }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
})
const streamed = sseAnswer([...stream, chunk({}, 'stop'), 'data: [DONE]\n\n'])

interface Scene extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: ScriptedUpstream
  readonly admin: ReturnType<typeof createAskAdmin>
  /** Sends a request, reads its answer as far as it goes, and gives its ID. */
  send(options?: SendOptions): Promise<string>
}

interface SendOptions {
  readonly key?: string
  readonly isStream?: boolean
  readonly prompt?: string
  readonly path?: string
}

async function openScene(
  capture: string,
  answer: () => ScriptedAnswer = () => whole,
  folder = makeFolder(),
): Promise<Scene> {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(answer))
  const channels = channelYaml({ name: 'a', format: 'chat', origin: upstream.origin, models: ['m'] })
  const gateway = cleanup.use(await startGateway(`${keys}${channels}${capture}\n`, folder))
  const opened = cleanup.move()
  return {
    gateway,
    upstream,
    admin: createAskAdmin(gateway.url),
    async send({
      key = testKey,
      isStream = false,
      prompt = promptCanary,
      path = '/v1/chat/completions',
    } = {}) {
      const messages = [{ role: 'user', content: prompt }]
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', max_tokens: 50, messages, stream: isStream }),
      })
      await response.text().catch((error: unknown) => error)
      return response.headers.get('x-request-id') ?? ''
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-capture-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Every byte that is on the disk. */
function bytesOn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

async function readCapture({ admin }: Scene, id: string) {
  // Another process may still be writing it.
  const status = async () => (await admin('GET', `/captures/${id}`)).status
  await expect.poll(status, { timeout: 30_000 }).toBe(200)
  return captureViewSchema.parse((await admin('GET', `/captures/${id}`)).body)
}

async function run(dataFolder: string, ...argv: readonly string[]): Promise<string> {
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
  const context = { dataFolder: () => dataFolder, adminToken: () => testAdminToken, io }
  const program = new Command('headgate').exitOverride()
  registerCapturesCommand(program, context)
  await program.parseAsync(['node', 'headgate', ...argv])
  return out
}

describe('disabled capture', () => {
  it('stores nothing, and creates no file', async () => {
    const folder = makeFolder()
    {
      await using scene = await openScene('', () => streamed, folder)
      await scene.send({ isStream: true })
      const status = captureStatusSchema.parse((await scene.admin('GET', '/capture')).body)
      expect(status).toMatchObject({ on: false, bodies: 'off', stored: { count: 0, bytes: 0 } })
      expect((await scene.admin('GET', '/captures')).body).toEqual({ data: [], next_after: null })
    }
    const bytes = bytesOn(folder)
    expect(bytes).not.toContain(promptCanary)
    expect(bytes).not.toContain(answerCanary)
    expect(readdirSync(join(folder, 'data'))).not.toContain('captures.db')
  })
})

it('the capture setting of a key overrides that of its group, which overrides that of the installation', async () => {
  await using scene = await openScene(
    'capture: { bodies: prompts, groups: { search: both }, keys: { test: off } }',
  )
  const read = async (path: string) => {
    const { data } = (await scene.admin('GET', path)).body as { readonly data: readonly object[] }
    return data
  }
  expect(await read('/keys?sort=name')).toMatchObject([
    { name: 'other', capture: 'both' },
    { name: 'test', capture: 'off' },
  ])
  expect(await read('/groups')).toMatchObject([{ name: 'search', capture: 'both' }])
  const made = await scene.admin('POST', '/groups', { body: { name: 'web' } })
  expect(made.body).toMatchObject({ name: 'web', capture: 'prompts' })
  const written = await scene.admin('PUT', '/groups/web', {
    body: { ...(made.body as object), multiplier: 2 },
  })
  expect(written.body).toMatchObject({ multiplier: 2, capture: 'prompts' })
})

describe('a capture', () => {
  it('has the prompt and the answer of a whole exchange, sealed on disk, and each reading is in the audit log', async () => {
    needsOneFolder('it looks at the files of the data folder')
    const folder = makeFolder()
    let id = ''
    {
      await using scene = await openScene('capture: { bodies: both }', () => whole, folder)
      id = await scene.send()
      const view = await readCapture(scene, id)
      expect(view).toMatchObject({ request_id: id, key: 'test', model: 'm', status: 200, readable: true })
      expect(JSON.parse(view.prompt?.text ?? '')).toMatchObject({ messages: [{ content: promptCanary }] })
      expect(view.answer).toMatchObject({ form: 'raw', stream: false, cut: false, truncated: false })
      expect(view.answer?.text).toContain(answerCanary)
      const audit = (await scene.admin('GET', '/audit')).body as {
        data: { action: string; subject: string }[]
      }
      expect(audit.data[0]).toMatchObject({ action: 'capture.read', subject: id, author: 'admin token' })
      // Another process may still be writing its row.
      const find = async () => (await scene.admin('GET', `/requests/${id}`)).body
      await expect.poll(find).toMatchObject({ captured: true })
      expect(await run(scene.gateway.dataFolder, 'captures', 'show', id)).toContain(answerCanary)
    }
    expect(readdirSync(join(folder, 'data'))).toContain('captures.db')
    const bytes = bytesOn(folder)
    expect(bytes).not.toContain(promptCanary)
    expect(bytes).not.toContain(answerCanary)
    // It is there after a restart, capture on or not.
    await using again = await openScene('', () => whole, folder)
    expect((await readCapture(again, id)).answer?.text).toContain(answerCanary)
  })

  it('of a stream has the sum of its events', async () => {
    await using scene = await openScene('capture: { bodies: both }', () => streamed)
    const view = await readCapture(scene, await scene.send({ isStream: true }))
    expect(view.answer).toMatchObject({ form: 'folded', stream: true, cut: false })
    expect(JSON.parse(view.answer?.text ?? '')).toEqual({
      content: [{ type: 'text', text: `The ${answerCanary}` }],
      stop_reason: 'end',
    })
  })

  it('of a truncated stream has the part that the caller received, and says so', async () => {
    const cut = () => sseAnswer(stream.slice(0, 2), 'reset')
    await using scene = await openScene('capture: { bodies: answers }\nretry: { attempts: 1 }', cut)
    const view = await readCapture(scene, await scene.send({ isStream: true }))
    expect(view.prompt).toBeNull()
    expect(view.answer).toMatchObject({ form: 'folded', cut: true })
    expect(JSON.parse(view.answer?.text ?? '').content[0].text).toBe(`The ${answerCanary.slice(0, 10)}`)
  })

  it('of a translated answer is in the caller’s format', async () => {
    await using scene = await openScene('capture: { bodies: both }', () => streamed)
    const id = await scene.send({ isStream: true, path: '/v1/messages' })
    const view = await readCapture(scene, id)
    expect(view.operation).toBe('messages')
    expect(JSON.parse(view.answer?.text ?? '').content).toEqual([
      { type: 'text', text: `The ${answerCanary}` },
    ])
  })

  it('is decided by the key, then its group, then the installation, and the caller can see it', async () => {
    await using scene = await openScene(
      'capture: { bodies: both, keys: { test: prompts }, groups: { search: off } }',
    )
    const own = await readCapture(scene, await scene.send())
    expect([own.prompt === null, own.answer === null]).toEqual([false, true])
    const ofOther = await scene.send({ key: otherKey })
    expect((await scene.admin('GET', `/captures/${ofOther}`)).status).toBe(404)
    const seen = await Promise.all(
      [testKey, otherKey].map(async (key) => {
        const response = await fetch(`${scene.gateway.url}/v1/key`, {
          headers: { authorization: `Bearer ${key}` },
        })
        return ((await response.json()) as { data: { capture: string } }).data.capture
      }),
    )
    expect(seen).toEqual(['prompts', 'off'])
    expect(await run(scene.gateway.dataFolder, 'captures', 'status')).toContain('key test: prompts')
  })

  it('has no secret of the configuration, and no text that a pattern matches', async () => {
    const secret = 'sk-upstream-secret-0123456789'
    const yaml = String.raw`capture: { bodies: both, redact: ["\\b\\d{16}\\b"] }
alerts: { receivers: [{ name: x, type: webhook, url: "https://hooks.example.com/x", headers: { x-key: ${secret} } }] }`
    await using scene = await openScene(yaml)
    const view = await readCapture(scene, await scene.send({ prompt: `pay 4111111111111111 by ${secret}` }))
    expect(view.prompt?.text).toContain('pay [redacted] by [redacted]')
    const next = await readCapture(
      scene,
      await scene.send({ prompt: 'pay by\n4111111111111111\nor\t4222222222222222' }),
    )
    expect(next.prompt?.text).toContain(String.raw`pay by\n[redacted]\nor\t[redacted]`)
  })

  it('is not stored if a pattern takes too long, which a metric counts, and the next one is stored', async () => {
    needsOneProcess('it reads the metrics of one process')
    await using scene = await openScene('capture: { bodies: prompts, redact: ["(a+)+b"] }')
    const slow = await scene.send({ prompt: 'a'.repeat(40) })
    const quick = await scene.send()
    await readCapture(scene, quick)
    expect((await scene.admin('GET', `/captures/${slow}`)).status).toBe(404)
    const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text()
    expect(metrics).toContain('headgate_captures_total{outcome="failed"} 1')
    expect(metrics).toContain('headgate_captures_total{outcome="stored"} 1')
  })

  it('has a limited size for each body, and says that it is only the beginning', async () => {
    await using scene = await openScene('capture: { bodies: both, max_body: 1KB }')
    const view = await readCapture(scene, await scene.send({ prompt: 'x'.repeat(5_000) }))
    expect(view.prompt).toMatchObject({ truncated: true })
    expect(view.prompt?.bytes).toBeGreaterThan(5_000)
    expect(Buffer.byteLength(view.prompt?.text ?? '')).toBeLessThanOrEqual(1_024)
  })
})

it('captures are listed page by page, exported, and deleted one by one or by key', async () => {
  await using scene = await openScene('capture: { bodies: both }')
  const ids: string[] = []
  for (const key of [testKey, testKey, otherKey]) ids.push(await scene.send({ key }))
  const list = async (query = '') =>
    captureListSchema.parse((await scene.admin('GET', `/captures${query}`)).body)
  await expect.poll(async () => (await list()).data.length).toBe(3)
  const first = await list('?limit=2')
  const second = await list(`?limit=2&after=${first.next_after}`)
  expect([...first.data, ...second.data].map(({ request_id: id }) => id).toSorted()).toEqual(ids.toSorted())
  const file = join(makeFolder(), 'captures.jsonl')
  await run(scene.gateway.dataFolder, 'captures', 'export', file)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(
    lines.map((line) => captureViewSchema.parse(JSON.parse(line)).answer?.text.includes(answerCanary)),
  ).toEqual([true, true, true])
  const keyId = first.data.find(({ key }) => key === 'test')?.key_id ?? second.data[0]?.key_id ?? ''
  expect((await scene.admin('GET', `/captures/export?key=${keyId}`).catch(() => undefined)) ?? 'lines').toBe(
    'lines',
  )
  expect((await scene.admin('DELETE', `/captures/${ids[2]}`)).body).toEqual({ deleted: 1 })
  expect((await scene.admin('DELETE', `/captures/${ids[2]}`)).status).toBe(404)
  expect((await scene.admin('DELETE', '/captures')).status).toBe(400)
  const { dataFolder } = scene.gateway
  expect(await run(dataFolder, 'captures', 'list', '--key', 'test', '--since', '1h')).toContain(ids[0])
  expect(await run(dataFolder, 'captures', 'delete', '--key', 'test')).toBe('2 deleted\n')
  expect((await list()).data).toEqual([])
  expect(await run(scene.gateway.dataFolder, 'captures', 'list')).toContain('REQUEST')
  const audit = (await scene.admin('GET', '/audit')).body as { data: { action: string }[] }
  const actions = audit.data.map(({ action }) => action)
  expect(actions.filter((action) => action === 'capture.export').length).toBe(2)
  expect(actions.filter((action) => action === 'capture.delete').length).toBe(2)
})
