import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { loadCases } from '../support/corpus.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts'
import {
  compareMeanings,
  type DeclaredLoss,
  readLossHeader,
} from '../support/second-reader/compare-meanings.ts'
import { type Fields, fieldsOf, type Meaning } from '../support/second-reader/meaning.ts'
import { readChatRequest } from '../support/second-reader/read-chat-request.ts'
import { readMessagesRequest } from '../support/second-reader/read-messages-request.ts'
import { readResponsesRequest } from '../support/second-reader/read-responses-request.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'

/** The formats that the second reader reads. */
type ReadFormat = 'chat' | 'messages' | 'responses'

const apis: Readonly<Record<ReadFormat, string>> = {
  chat: 'openai.chat',
  messages: 'anthropic.messages',
  responses: 'openai.responses',
}
const loaded = {
  chat: loadCases({ api: apis.chat }),
  messages: loadCases({ api: apis.messages }),
  responses: loadCases({ api: apis.responses }),
}
const readers: Readonly<Record<ReadFormat, (body: unknown) => Meaning>> = {
  chat: readChatRequest,
  messages: readMessagesRequest,
  responses: readResponsesRequest,
}

/** Models of each kind of channel; those of the messages format differ in what they take. */
const models: Readonly<Record<ReadFormat, readonly string[]>> = {
  chat: ['some-model'],
  messages: [
    'unknown-model',
    'claude-3-5-haiku-latest',
    'claude-sonnet-4-5',
    'claude-opus-4-6',
    'claude-haiku-5-5',
    'claude-opus-5-5',
  ],
  responses: ['gpt-4.1', 'gpt-5.2'],
}
const allowedFields = ['models', 'provider', 'transforms', 'route', 'fallbacks', 'plugins']

const answers: Readonly<Record<ReadFormat, object>> = {
  chat: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  messages: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  },
}

interface RecordedBody {
  readonly id: string
  /** The status with which the provider that it was made for answered it. */
  readonly recordedStatus: number
  readonly body: Fields
}

function bodiesOf(format: ReadFormat): readonly RecordedBody[] {
  return (loaded[format] ?? []).flatMap(({ id, request, response }) =>
    request?.body === undefined
      ? []
      : [{ id, body: fieldsOf(request.body), recordedStatus: response.status }],
  )
}

describe.skipIf(loaded.chat === undefined)('the upstream body of a recorded request', () => {
  let gateway: StartedGateway
  const upstreams = new Map<ReadFormat, ScriptedUpstream>()
  const cleanup = new AsyncDisposableStack()
  beforeAll(async () => {
    const channels = []
    for (const format of ['chat', 'messages', 'responses'] as const) {
      const upstream = cleanup.use(await openScriptedUpstream(() => jsonAnswer(answers[format])))
      upstreams.set(format, upstream)
      const allowing = { more: `allow_fields: ${JSON.stringify(allowedFields)}` }
      // A provider whose models are known to reason; it knows no such fields, but keeps answers.
      const keeping = { provider: 'openai', more: 'allow_fields: [previous_response_id]' }
      const own = format === 'responses' ? keeping : allowing
      channels.push({ format, origin: upstream.origin, models: models[format], ...own })
    }
    gateway = cleanup.use(
      await startGateway(`${channelYaml(...channels)}retry: { attempts: 1 }\nstored_responses: off\n`),
    )
  })
  afterAll(() => cleanup.disposeAsync())

  /** Sends a body from a caller of one format to a channel of the other or the same. */
  async function send(from: ReadFormat, to: ReadFormat, body: object) {
    const upstream = upstreams.get(to)
    const before = upstream?.requests.length ?? 0
    const asked = await ask({ url: gateway.url, format: from }, body)
    const request = upstream?.requests[before]
    const sent: unknown = request === undefined ? undefined : JSON.parse(request.body.toString('utf8'))
    const losses = readLossHeader(String(asked.headers['x-headgate-loss'] ?? ''))
    return { status: asked.status, answer: asked.body.toString('utf8'), sent, losses }
  }

  it.each(['chat', 'messages', 'responses'] as const)(
    'is the same body for %s on its own format',
    async (format) => {
      const bodies = bodiesOf(format)
      const counts = new NamedCounts()
      const failed: string[] = []
      for (const { id, body, recordedStatus } of bodies) {
        const { status, sent, answer } = await send(format, format, { ...body, model: models[format][0] })
        const expected = { ...body, model: models[format][0] }
        // A request that the provider refused may be refused before it is sent.
        const isRefused = status === 400 && recordedStatus === 400
        counts.add(isRefused ? 'refused as the provider refused it' : 'compared')
        if (isRefused) continue
        // Usage is counted, whatever the caller wants to see.
        const usage = { stream_options: { ...fieldsOf(body['stream_options']), include_usage: true } }
        const counted = format === 'chat' && body['stream'] === true ? { ...expected, ...usage } : expected
        if (!isDeepStrictEqual(sent, counted)) failed.push(`${id}: ${answer}`)
        const { silent } = compareMeanings({
          caller: readers[format](body),
          upstream: readers[format](sent),
          losses: [],
        })
        if (silent.length > 0) failed.push(`${id}: ${silent.join(', ')}`)
      }
      counts.print(`${format} requests word for word (${bodies.length})`)
      expect(failed).toEqual([])
    },
    120_000,
  )

  it.each([
    ['chat', 'messages'],
    ['chat', 'responses'],
    ['messages', 'chat'],
    ['messages', 'responses'],
    ['responses', 'chat'],
    ['responses', 'messages'],
  ] as const)(
    'keeps all that %s callers send to %s, except for declared losses',
    async (from, to) => {
      const counts = new NamedCounts()
      const parts = new NamedCounts()
      const failed: string[] = []
      const bodies = bodiesOf(from)
      for (const [index, { id, body }] of bodies.entries()) {
        const model = models[to][index % models[to].length]
        const { status, answer, sent, losses } = await send(from, to, { ...body, model })
        if (sent === undefined) {
          const rule = ruleOf(status, answer)
          counts.add(rule ?? 'failed')
          if (rule === undefined) failed.push(`${id} on ${model}: ${status} ${answer}`)
          continue
        }
        const compared = compareMeanings({ caller: readers[from](body), upstream: readers[to](sent), losses })
        if (compared.silent.length > 0) failed.push(`${id} on ${model}: ${compared.silent.join(', ')}`)
        for (const part of compared.declared) parts.add(part)
        counts.add(nameOf(losses, compared.declared))
      }
      counts.print(`${from} requests to ${to} channels (${bodies.length})`)
      parts.print(`parts of ${from} requests that differ as declared`)
      expect(failed, failed.join('\n')).toEqual([])
      const refused = bodies.length - outcomes.reduce((sum, name) => sum + counts.count(name), 0)
      expect(refused).toBeLessThanOrEqual(bodies.length * 0.05)
    },
    120_000,
  )
})

const outcomes = [
  'equal, no loss',
  'equal, fields of one format declared',
  'equal save what is declared',
] as const

function nameOf(losses: readonly DeclaredLoss[], differing: readonly string[]): (typeof outcomes)[number] {
  if (differing.length > 0) return 'equal save what is declared'
  return losses.length === 0 ? 'equal, no loss' : 'equal, fields of one format declared'
}

/** Why a request is rightly refused before any upstream sees it. */
function ruleOf(status: number, answer: string): string | undefined {
  const error = fieldsOf(fieldsOf(JSON.parse(answer))['error'])
  if (status !== 400 || typeof error['param'] !== 'string') return undefined
  if (error['code'] === 'cannot_be_carried') return `refused: no channel here does "${error['param']}"`
  return `refused: the field "${error['param']}" is not as the format has it`
}
