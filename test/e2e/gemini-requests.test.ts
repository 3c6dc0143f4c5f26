import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationPaths } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { forEachAtOnce } from '../support/open-corpus-replay.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts'
import { compareMeanings, readLossHeader } from '../support/second-reader/compare-meanings.ts'
import { findGeminiFaults } from '../support/second-reader/find-gemini-faults.ts'
import { type Fields, fieldsOf, type Meaning } from '../support/second-reader/meaning.ts'
import { readChatRequest } from '../support/second-reader/read-chat-request.ts'
import { readGeminiRequest } from '../support/second-reader/read-gemini-request.ts'
import { readMessagesRequest } from '../support/second-reader/read-messages-request.ts'
import { type StartedGateway, startGateway, testKey } from '../support/start-gateway.ts'

type Format = 'chat' | 'messages' | 'gemini'

const apis: Readonly<Record<Format, string>> = {
  chat: 'openai.chat',
  messages: 'anthropic.messages',
  gemini: 'gemini.generateContent',
}
const recorded = loadCases({ api: apis.gemini })

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const answers: Readonly<Record<Format, object>> = {
  chat: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  },
  messages: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    stop_sequence: null,
    content: [{ type: 'text', text: 'Yes.' }],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: 'Yes.' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'm',
  },
}

const readers: Readonly<Record<Format, (body: unknown) => Meaning>> = {
  chat: readChatRequest,
  messages: readMessagesRequest,
  // The path says whether a stream is asked for, and here it never is.
  gemini: (body) => readGeminiRequest(body, false),
}

/** Models of each kind of channel, which differ in what they take. */
const models: Readonly<Record<Format, readonly string[]>> = {
  chat: ['some-model'],
  messages: ['unknown-model', 'claude-sonnet-4-5', 'claude-opus-5-5'],
  gemini: ['some-gemini', 'gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-3-pro', 'gemini-3.8-flash'],
}
/** The model of the channel to which the bytes go through unchanged. */
const VERBATIM = 'gemini-2.5-pro-latest'
const publicName = (format: Format, model: string) => `${format}/${model}`

interface RecordedBody {
  readonly id: string
  readonly body: Fields
}

function bodiesOf(format: Format): readonly RecordedBody[] {
  return (loadCases({ api: apis[format] }) ?? []).flatMap(({ id, request }: CorpusCase) =>
    request?.body === undefined ? [] : [{ id, body: fieldsOf(request.body) }],
  )
}

describe.skipIf(recorded === undefined)('recorded requests and the Gemini format', () => {
  let gateway: StartedGateway
  const upstreams = new Map<Format, ScriptedUpstream>()
  const cleanup = new AsyncDisposableStack()
  beforeAll(async () => {
    const channels = []
    for (const format of ['chat', 'messages', 'gemini'] as const) {
      const upstream = cleanup.use(await openScriptedUpstream(() => jsonAnswer(answers[format])))
      upstreams.set(format, upstream)
      const served = format === 'gemini' ? [...models[format], VERBATIM] : models[format]
      const names = Object.fromEntries(served.map((model) => [publicName(format, model), model]))
      channels.push({ format, origin: upstream.origin, models: names })
    }
    gateway = cleanup.use(await startGateway(`${channelYaml(...channels)}retry: { attempts: 1 }\n`))
  })
  afterAll(() => cleanup.disposeAsync())

  /** Sends a body from a caller of one format to a model of a channel. */
  async function send(from: Format, model: string, body: object) {
    const path = from === 'gemini' ? `/v1beta/models/${model}:generateContent` : operationPaths[from]
    const named = from === 'gemini' ? body : { ...body, model, stream: false }
    const answer = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': testKey },
      body: JSON.stringify(named),
    })
    const losses = readLossHeader(answer.headers.get('x-headgate-loss') ?? '')
    return { status: answer.status, text: await answer.text(), losses }
  }

  it('reach a channel of the format as the same bytes, with the model only in the path', async () => {
    const upstream = upstreams.get('gemini')
    for (const { id, body } of bodiesOf('gemini')) {
      const before = upstream?.requests.length ?? 0
      const { status, text } = await send('gemini', publicName('gemini', VERBATIM), body)
      expect(status, `${id}: ${text}`).toBe(200)
      const request = upstream?.requests[before]
      expect(request?.path, id).toBe(`/v1beta/models/${VERBATIM}:generateContent`)
      expect(request?.body.equals(Buffer.from(JSON.stringify(body))), id).toBe(true)
    }
  })

  it.each([
    ['gemini', 'chat'],
    ['gemini', 'messages'],
    ['chat', 'gemini'],
    ['messages', 'gemini'],
  ] as const)(
    'keep all that %s callers send to %s, except for declared losses',
    async (from, to) => {
      const counts = new NamedCounts()
      const failed: string[] = []
      const bodies = bodiesOf(from)
      await forEachAtOnce(bodies, 1, async ({ id, body }, index) => {
        const model = models[to][index % models[to].length] ?? ''
        const upstream = upstreams.get(to)
        const before = upstream?.requests.length ?? 0
        const { status, text, losses } = await send(from, publicName(to, model), body)
        const request = upstream?.requests[before]
        if (request === undefined) {
          counts.add(status === 400 ? 'refused' : 'failed')
          if (status !== 400) failed.push(`${id} on ${model}: ${status} ${text}`)
          return
        }
        const sent: unknown = JSON.parse(request.body.toString('utf8'))
        const caller = readers[from](from === 'gemini' ? body : { ...body, stream: false })
        const { silent, declared } = compareMeanings({ caller, upstream: readers[to](sent), losses })
        if (silent.length > 0) failed.push(`${id} on ${model}: ${silent.join(', ')}`)
        counts.add(declared.length === 0 ? 'equal' : 'equal save what is declared')
      })
      counts.print(`${from} requests to ${to} channels (${bodies.length})`)
      expect(failed, failed.join('\n')).toEqual([])
      expect(counts.count('refused')).toBeLessThanOrEqual(bodies.length * 0.05)
    },
    120_000,
  )

  it('satisfy a service that enforces the rules of the format, if the gateway writes them', () => {
    const failed: string[] = []
    const written = (upstreams.get('gemini')?.requests ?? []).filter(({ path }) => !path.includes(VERBATIM))
    for (const { path, body } of written) {
      const model = /models\/([^:]+):/.exec(path)?.[1] ?? ''
      const faults = findGeminiFaults(fieldsOf(JSON.parse(body.toString('utf8'))), model)
      if (faults.length > 0) failed.push(`${path}: ${faults.join(', ')}`)
    }
    expect(written.length).toBeGreaterThan(0)
    expect(failed, failed.join('\n')).toEqual([])
  })
})
