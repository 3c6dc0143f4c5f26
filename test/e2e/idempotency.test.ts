import { DatabaseSync } from 'node:sqlite'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { chunk, delta, done, finish } from '../support/chat-chunks.ts'
import { createGate } from '../support/gate.ts'
import { createCalendarClock } from '../support/open-budget-gateway.ts'
import { refusalOf } from '../support/open-gateway.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  sseAnswer,
  type UpstreamHandler,
} from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { ledgerFileIn, needsOneProcess } from '../support/topology/needs.ts'

const secrets = { a: 'sk-a-0123456789abcdef', b: 'sk-b-0123456789abcdef' }
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const JOINING = 'another process has an answer once it is whole, and not while it comes'
const REPLAY = 'x-headgate-idempotent-replay'

/** Each answer says which call of the upstream it is. */
const wholeAnswer = (index: number, words = 'Hi.') =>
  jsonAnswer({
    id: `c${index}`,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage,
    choices: [{ index: 0, message: { role: 'assistant', content: words }, finish_reason: 'stop' }],
  })
const end = [finish('stop'), chunk(undefined, { usage }), done]

interface Settings {
  readonly more?: string
  readonly clock?: Parameters<typeof startGateway>[2] & object
}

async function open(script: UpstreamHandler, { more = '', clock = {} }: Settings = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(script))
  const folder = makeTemporaryFolder()
  const channel = { name: 'c', format: 'chat' as const, origin: upstream.origin, models: ['m'] }
  const keys = Object.entries(secrets).map(
    ([name, secret]) => `  - { name: ${name}, secret: ${secret}, models: ["*"] }\n`,
  )
  const yaml = [
    channelYaml(channel),
    'models: { m: { price: { input: 1, output: 2 } } }\nretry: { attempts: 1 }\n',
    ...['keys:\n', ...keys, more],
  ].join('')
  let gateway = await startGateway(yaml, folder, clock)
  cleanup.defer(() => gateway[Symbol.asyncDispose]())
  const opened = cleanup.move()
  const headersOf = (secret: string, key: string) => ({
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  })
  return {
    upstream,
    url: () => gateway.url,
    post: (
      key: string,
      { secret = secrets.a, path = '/v1/chat/completions', signal, ...fields }: Sent = {},
    ) =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: headersOf(secret, key),
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }),
        ...(signal !== undefined && { signal }),
      }),
    client: (key: string, maxRetries = 0) =>
      new OpenAI({
        baseURL: `${gateway.url}/v1`,
        apiKey: secrets.a,
        maxRetries,
        defaultHeaders: { 'idempotency-key': key },
      }),
    async restart() {
      await gateway[Symbol.asyncDispose]()
      gateway = await startGateway(yaml, folder, clock)
    },
    /** Reads the rows of the ledger after the gateway has ended. */
    async chargedRows(): Promise<readonly unknown[]> {
      await gateway[Symbol.asyncDispose]()
      const database = new DatabaseSync(ledgerFileIn(gateway.dataFolder), { readOnly: true })
      const rows = database.prepare('select charged from ledger order by number').all()
      database.close()
      return rows.map((row) => row['charged'])
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

interface Sent {
  readonly secret?: string
  readonly path?: string
  readonly signal?: AbortSignal
  readonly [field: string]: unknown
}

const hello = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }

/** A reader of an answer, as far as a test reads. */
function readerOf(response: Response) {
  const reader = (response.body ?? new ReadableStream()).getReader()
  let text = ''
  const decoder = new TextDecoder()
  return {
    async until(word: string): Promise<void> {
      while (!text.includes(word)) {
        const { done: isOver, value } = await reader.read()
        if (isOver) throw new Error(`the answer ended without ${word}: ${text}`)
        text += decoder.decode(value, { stream: true })
      }
    },
    async rest(): Promise<string> {
      for (;;) {
        const { done: isOver, value } = await reader.read()
        if (isOver) return text
        text += decoder.decode(value, { stream: true })
      }
    },
  }
}

describe('a whole answer', () => {
  it('is replayed for the same request, says so, and is billed once', async () => {
    await using opened = await open((_, index) => wholeAnswer(index))
    const [first, second] = [await opened.post('one'), await opened.post('one')]
    expect(await second.text()).toBe(await first.text())
    expect([first.headers.get(REPLAY), first.headers.get('x-headgate-cost')]).toEqual([null, '0.00005'])
    expect([second.headers.get(REPLAY), second.headers.get('x-headgate-cost')]).toEqual(['true', '0'])
    expect(second.headers.get('x-headgate-channel')).toBe('c')
    const ids = [second, first].map(({ headers }) => headers.get('x-request-id'))
    expect(ids[0]).not.toBe(ids[1])
    const logged = async () => (await createAskAdmin(opened.url())('GET', '/requests')).body
    const [repeated, made] = ids.map((id) => ({ request_id: id, model: 'm', status: 200 }))
    // Rows stand in the order in which their processes wrote them.
    await expect.poll(logged).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ ...repeated, channel: null }),
        expect.objectContaining({ ...made, channel: 'c' }),
      ]),
    })
    expect(opened.upstream.requests.length).toBe(1)
    expect(await opened.chargedRows()).toEqual([50_000])
  })

  it('is not marked in the ledger as one that completed a broken stream', async () => {
    await using opened = await open((_request, index) => wholeAnswer(index))
    await (await opened.post('k')).text()
    const ask = createAskAdmin(opened.url())
    const flags = async () => rowListSchema.parse((await ask('GET', '/ledger')).body).data[0]?.flags
    await expect.poll(flags, { timeout: 30_000 }).toEqual([])
  })

  it('is replayed after a restart', async () => {
    await using opened = await open((_, index) => wholeAnswer(index))
    const before = await (await opened.post('one')).text()
    await opened.restart()
    const after = await opened.post('one')
    expect([await after.text(), after.headers.get(REPLAY)]).toEqual([before, 'true'])
    expect(opened.upstream.requests.length).toBe(1)
  })

  it('is sent to all who request it while it is being created', async () => {
    const gate = createGate()
    await using opened = await open(async (_, index) => {
      await gate.opened
      return wholeAnswer(index)
    })
    const asked = Array.from({ length: 20 }, () => opened.client('one').chat.completions.create(hello))
    await opened.upstream.request(0)
    gate.open()
    const ids = (await Promise.all(asked)).map(({ id }) => id)
    expect(new Set(ids)).toEqual(new Set(['c0']))
    expect(opened.upstream.requests.length).toBe(1)
    expect(await opened.chargedRows()).toEqual([50_000])
  })

  it('belongs to its API key alone', async () => {
    await using opened = await open((_, index) => wholeAnswer(index))
    await (await opened.post('one')).text()
    const other = await opened.post('one', { secret: secrets.b })
    expect([await other.json(), other.headers.get(REPLAY)]).toMatchObject([{ id: 'c1' }, null])
  })

  it('is created again after it expires', async () => {
    const clock = createCalendarClock('2026-11-23T00:00:00Z')
    await using opened = await open((_, index) => wholeAnswer(index), {
      clock: { clock },
      more: 'idempotency: { keep: 1h }\n',
    })
    await (await opened.post('one')).text()
    clock.set('2026-11-23T00:59:00Z')
    expect(await (await opened.post('one')).json()).toMatchObject({ id: 'c0' })
    clock.set('2026-11-23T01:01:00Z')
    expect(await (await opened.post('one')).json()).toMatchObject({ id: 'c1' })
  })

  it('is not stored if it is more than an eighth of max_bytes', async () => {
    await using opened = await open((_, index) => wholeAnswer(index, 'x'.repeat(200_000)), {
      more: 'idempotency: { max_bytes: 1MB }\n',
    })
    await (await opened.post('one')).text()
    expect(await (await opened.post('one')).json()).toMatchObject({ id: 'c1' })
  })

  it('is created again if idempotency is off', async () => {
    await using opened = await open((_, index) => wholeAnswer(index), { more: 'idempotency: off\n' })
    await (await opened.post('one')).text()
    expect(await (await opened.post('one')).json()).toMatchObject({ id: 'c1' })
  })

  it('is not stored if it is an error: the next request runs again', async () => {
    await using opened = await open((_, index) =>
      index === 0 ? jsonAnswer({ error: { message: 'No.' } }, 500) : wholeAnswer(index),
    )
    const failed = await opened.post('one')
    expect([failed.status, failed.headers.get(REPLAY)]).toEqual([502, null])
    await failed.text()
    expect(await (await opened.post('one')).json()).toMatchObject({ id: 'c1' })
  })
})

describe('an idempotency key', () => {
  it('with another body is refused once, in the caller’s format, and no SDK retries', async () => {
    await using opened = await open((_, index) => wholeAnswer(index))
    await opened.client('one').chat.completions.create(hello)
    const openai = opened.client('one', 2)
    const fromOpenAI = await refusalOf(openai.chat.completions.create({ ...hello, temperature: 0 }))
    expect(fromOpenAI).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    let sent = 0
    const anthropic = new Anthropic({
      baseURL: opened.url(),
      apiKey: secrets.a,
      maxRetries: 2,
      defaultHeaders: { 'idempotency-key': 'one' },
      fetch: (...input) => {
        sent += 1
        return fetch(...input)
      },
    })
    const fromAnthropic = await refusalOf(anthropic.messages.create({ ...hello, max_tokens: 5 }))
    expect([fromAnthropic, sent]).toMatchObject([{ status: 409 }, 1])
    expect(opened.upstream.requests.length).toBe(1)
  })

  it('with another body is refused while the first call is in progress', async () => {
    const gate = createGate()
    await using opened = await open(async (_, index) => {
      await gate.opened
      return wholeAnswer(index)
    })
    const first = opened.post('one')
    await opened.upstream.request(0)
    expect((await opened.post('one', { temperature: 0 })).status).toBe(409)
    gate.open()
    expect((await first).status).toBe(200)
  })

  it.each(['', 'two words', 'x'.repeat(256), 'é'])('%j is refused', async (key) => {
    await using opened = await open((_, index) => wholeAnswer(index))
    const refused = await opened.post(key)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { param: 'idempotency-key' } },
    ])
  })

  it('lets the OpenAI SDK retry an error, and replays the answer of the retry', async () => {
    await using opened = await open((_, index) =>
      index === 0 ? jsonAnswer({ error: { message: 'No.' } }, 500) : wholeAnswer(index),
    )
    expect(await opened.client('one', 1).chat.completions.create(hello)).toMatchObject({ id: 'c1' })
    expect(await opened.client('one').chat.completions.create(hello)).toMatchObject({ id: 'c1' })
    expect(opened.upstream.requests.length).toBe(2)
  })
})

describe('a stream', () => {
  it('is replayed byte for byte, also after a restart', async () => {
    await using opened = await open(() => sseAnswer([delta({ content: 'Hi.' }), ...end]))
    const first = await (await opened.post('one', { stream: true })).text()
    const second = await opened.post('one', { stream: true })
    expect([await second.text(), second.headers.get(REPLAY)]).toEqual([first, 'true'])
    await opened.restart()
    const third = await opened.post('one', { stream: true })
    expect([await third.text(), third.headers.get('content-type')]).toEqual([
      first,
      second.headers.get('content-type'),
    ])
    expect([first.includes('[DONE]'), opened.upstream.requests.length]).toEqual([true, 1])
    expect(await opened.chargedRows()).toEqual([50_000])
  })

  it('can be joined by a second caller: first the part already sent, then the rest as it arrives', async () => {
    needsOneProcess(JOINING)
    const gate = createGate()
    await using opened = await open(() => sseAnswer([delta({ content: 'Hi' }), gate.opened, ...end]))
    const first = readerOf(await opened.post('one', { stream: true }))
    await first.until('Hi')
    const joined = await opened.post('one', { stream: true })
    const second = readerOf(joined)
    await second.until('Hi')
    gate.open()
    expect(await second.rest()).toBe(await first.rest())
    expect([joined.headers.get(REPLAY), opened.upstream.requests.length]).toEqual(['true', 1])
  })

  it('continues for the second caller when the first disconnects', async () => {
    needsOneProcess(JOINING)
    const gate = createGate()
    await using opened = await open(() => sseAnswer([delta({ content: 'Hi' }), gate.opened, ...end]))
    const leaving = new AbortController()
    const left = readerOf(await opened.post('one', { stream: true, signal: leaving.signal }))
    await left.until('Hi')
    const joined = readerOf(await opened.post('one', { stream: true }))
    await joined.until('Hi')
    leaving.abort()
    // By then the gateway has seen that the connection is closed.
    await refusalOf(left.rest())
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${opened.url()}/healthz`)).text()
    gate.open()
    expect(await joined.rest()).toContain('[DONE]')
    expect(opened.upstream.requests[0]?.abortedAtMs).toBeUndefined()
  })

  it('continues for the first caller when the second disconnects', async () => {
    needsOneProcess(JOINING)
    const gate = createGate()
    await using opened = await open(() => sseAnswer([delta({ content: 'Hi' }), gate.opened, ...end]))
    const first = readerOf(await opened.post('one', { stream: true }))
    await first.until('Hi')
    const leaving = new AbortController()
    const left = readerOf(await opened.post('one', { stream: true, signal: leaving.signal }))
    await left.until('Hi')
    leaving.abort()
    gate.open()
    expect(await first.rest()).toContain('[DONE]')
  })

  it('is cancelled when all callers have disconnected, and the next request runs again', async () => {
    await using opened = await open((_, index) =>
      index === 0
        ? sseAnswer([delta({ content: 'Hi' })], 'hang')
        : sseAnswer([delta({ content: 'Anew' }), ...end]),
    )
    const leaving = new AbortController()
    const left = readerOf(await opened.post('one', { stream: true, signal: leaving.signal }))
    await left.until('Hi')
    leaving.abort()
    await opened.upstream.requests[0]?.closed
    expect(await (await opened.post('one', { stream: true })).text()).toContain('Anew')
  })

  it('is not replayed if it broke off', async () => {
    await using opened = await open((_, index) =>
      index === 0
        ? sseAnswer([delta({ content: 'Hi' })], 'half-close')
        : sseAnswer([delta({ content: 'Anew' }), ...end]),
    )
    await refusalOf((await opened.post('one', { stream: true })).text())
    expect(await (await opened.post('one', { stream: true })).text()).toContain('Anew')
  })

  it('that is too long to be shared accepts no more callers, and ends for its own', async () => {
    needsOneProcess(JOINING)
    const gate = createGate()
    const long = 'x'.repeat(200_000)
    await using opened = await open(
      () => sseAnswer([delta({ content: long }), delta({ content: 'mark' }), gate.opened, ...end]),
      { more: 'idempotency: { max_bytes: 1MB }\n' },
    )
    const first = readerOf(await opened.post('one', { stream: true }))
    await first.until('mark')
    const late = await opened.post('one', { stream: true })
    expect([late.status, await late.json()]).toMatchObject([
      409,
      { error: { code: 'idempotency_in_progress' } },
    ])
    gate.open()
    expect(await first.rest()).toContain('[DONE]')
  })
})
