import { ApiError, GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FormatId, formatIds } from '../../src/canonical/format.ts'
import { createTranslatedRelay } from '../../src/pipeline/relay/translated-relay.ts'
import { createVerbatimRelay } from '../../src/pipeline/relay/verbatim-relay.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import type { WireFormat } from '../../src/wire/wire-format.ts'
import { allClients } from '../support/all-clients.ts'
import { dataOfEvent, splitEvents } from '../support/ask.ts'
import { collect } from '../support/collect.ts'
import { readAnswer } from '../support/judge.ts'
import { fieldsOf } from '../support/judged.ts'
import { type OpenGateway, openGateway, refusalOf } from '../support/open-gateway.ts'
import { relayAll } from '../support/relays.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const formats: Readonly<Record<FormatId, WireFormat>> = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}

const say = (parts: readonly object[], more: object = {}) => {
  const candidates = [{ content: { parts, role: 'model' }, index: 0, ...more }]
  return `data: ${JSON.stringify({ candidates, modelVersion: 'gemini-3-flash', responseId: 'r1' })}\r\n\r\n`
}
const call = { functionCall: { name: 'look', args: { städte: ['Wien', 'Rom'] } }, thoughtSignature: 'c2ln' }
/** Thoughts, text beyond ASCII and a call; the last chunk alone says why the answer ended. */
const frames = [
  say([]),
  say([{ text: 'Überlegt.', thought: true }]),
  say([{ text: 'Grüße, ' }]),
  say([{ text: '漢字 👩‍👩‍👧‍👦\n' }]),
  say([call]),
  say([{ text: '' }], { finishReason: 'STOP' }),
]
const whole = Buffer.from(frames.join(''))
const contentAt = Buffer.byteLength(frames[0] ?? '')
const finishAt = whole.lastIndexOf('data:')
const streams = { ...sampleStreams, gemini: { bytes: whole, frames, contentAt, finishAt } }

const lanes: readonly (readonly [caller: FormatId, channel: FormatId])[] = [
  ['chat', 'gemini'],
  ['messages', 'gemini'],
  ['responses', 'gemini'],
  ['gemini', 'gemini'],
  ['gemini', 'chat'],
  ['gemini', 'messages'],
  ['gemini', 'responses'],
]

function createRelay(caller: FormatId, channel: FormatId) {
  if (caller === channel) return createVerbatimRelay(formats[caller])
  const reader = formats[channel].createStreamReader()
  const writer = formats[caller].createStreamWriter({ streamUsage: true, requestId: 'req_1' })
  return createTranslatedRelay({ reader, writer, createdAtSeconds: 5, costOf: undefined })
}

/** The offset at which the frame that begins here has its JSON whole. */
function jsonEnd(bytes: Buffer, frameAt: number): number {
  return bytes.indexOf('\n', frameAt)
}

describe.each(lanes)('a %s caller on a %s channel', (caller, channel) => {
  const { bytes, contentAt: firstAt, finishAt: lastAt } = streams[channel]

  it('never treats a stream as whole that is truncated before its finish', () => {
    for (let at = 0; at < jsonEnd(bytes, lastAt) - 2; at += 1) {
      const relay = createRelay(caller, channel)
      const output = relayAll(relay, [bytes.subarray(0, at)])
      expect(relay.isComplete, `cut at ${at}`).toBe(false)
      expect(['upstream_disconnected', 'upstream_empty'], `cut at ${at}`).toContain(relay.failure?.code)
      if (relay.failure === undefined || at < jsonEnd(bytes, firstAt)) continue
      const ended = output + formats[caller].writeErrorEvent(relay.failure, 'req_1')
      const judged = readAnswer({ format: caller, body: ended, isStream: true })
      expect([judged.isTerminated, judged.error !== undefined], `cut at ${at}`).toEqual([false, true])
    }
  })

  it('gets the same answer for any split of the bytes', () => {
    const expected = relayAll(createRelay(caller, channel), [bytes])
    expect(readAnswer({ format: caller, body: expected, isStream: true })).toMatchObject({
      text: expect.stringContaining('Grüße, 漢字 👩‍👩‍👧‍👦'),
      toolCalls: [{ name: 'look', arguments: { städte: ['Wien', 'Rom'] } }],
      isTerminated: true,
    })
    for (let at = 1; at < bytes.length; at += 1) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
      expect(relayAll(createRelay(caller, channel), pieces), `split at ${at}`).toBe(expected)
    }
  })
})

describe('a call whose arguments are not an object', () => {
  const piece = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const call = (text: string) => ({
    tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: text } }],
  })

  it('is an error for a caller of the Gemini format, who would run it, unless the length limit truncated it', () => {
    const relayed = (finish: string) => {
      const relay = createRelay('gemini', 'chat')
      relayAll(relay, [Buffer.from(`${piece(call('{"a":'))}${piece({}, finish)}data: [DONE]\n\n`)])
      return [relay.isComplete, relay.failure?.code]
    }
    expect(relayed('tool_calls')).toEqual([false, 'upstream_bad_response'])
    expect(relayed('length')).toEqual([true, undefined])
  })
})

const cuts = [1, 3, 5].map((count) => frames.slice(0, count))
const faults = [
  ...cuts.map((before) => sseAnswer(before, 'half-close')),
  sseAnswer([
    ...frames.slice(0, 3),
    `data: ${JSON.stringify({ error: { code: 503, status: 'UNAVAILABLE' } })}\n\n`,
  ]),
  sseAnswer([...frames.slice(0, 3), 'data: {"candidates": [\n\n', ...frames.slice(3)]),
]

describe('a broken stream of a gemini channel', () => {
  let open: OpenGateway
  beforeAll(async () => {
    const models = faults.map((_fault, index) => `m${index}`)
    const script = ({ path }: { readonly path: string }) =>
      faults[Number(/models\/m(\d)/.exec(path)?.[1])] ?? { status: 500 }
    open = await openGateway({
      format: 'gemini',
      models,
      scripts: [script],
      more: 'retry: { attempts: 1 }\n',
    })
  })
  afterAll(() => open[Symbol.asyncDispose]())

  it('makes the official client throw, whatever broke the stream', async () => {
    const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: open.gateway.url } })
    for (const [index] of faults.entries()) {
      const read = async () =>
        collect(await client.models.generateContentStream({ model: `m${index}`, contents: 'Hi' }))
      expect(await refusalOf(read()), `fault ${index}`).toBeInstanceOf(ApiError)
    }
  })

  it('ends with an error, and a JSON list has no closing bracket', async () => {
    const path = '/v1beta/models/m1:streamGenerateContent'
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
    const headers = { 'x-goog-api-key': testKey, 'content-type': 'application/json' }
    const ask = async (query: string) => {
      const answer = await fetch(open.gateway.url + path + query, { method: 'POST', headers, body })
      const text: string[] = []
      try {
        for await (const bytes of answer.body ?? []) text.push(Buffer.from(bytes).toString())
      } catch {
        // The body stays open-ended.
      }
      return text.join('')
    }
    const events = splitEvents(await ask('?alt=sse'))
    expect(fieldsOf(dataOfEvent(events.at(-1) ?? ''))['error']).toMatchObject({
      code: 502,
      status: 'INTERNAL',
    })
    const list = await ask('')
    expect(list).toMatch(/^\[\{"candidates"/)
    expect(() => JSON.parse(list)).toThrow()
    expect(JSON.parse(`${list}]`).at(-1)).toHaveProperty('error.code', 502)
  })
})

describe('a broken stream of a gemini channel, under recovery.mid_stream: verified', () => {
  const thought = { text: 'Hm', thought: true }
  const cut = sseAnswer([say([thought]), say([{ text: 'Once ' }]), say([{ text: 'upon' }])], 'reset')
  const again = sseAnswer([
    say([thought, { text: 'Once up' }]),
    say([{ text: 'on a time' }]),
    say([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' }),
  ])

  it.each(formatIds)('continues for a %s caller if another target repeats the content', async (caller) => {
    await using upstream = await openScriptedUpstream(({ path }) => (path.startsWith('/a') ? cut : again))
    const channel = (name: string, priority: number) =>
      `  - { name: ${name}, priority: ${priority}, provider: gemini, base_url: ${upstream.origin}/${name}/v1beta, allow_private: true, api_key: k, models: [m] }\n`
    await using gateway = await startGateway(
      `channels:\n${channel('a', 2)}${channel('b', 1)}retry: { same_target: 0 }\nrecovery: { mid_stream: verified }\n`,
    )
    const said = await allClients(gateway.url)[caller]('m', true)
    expect(said).toMatchObject({ text: 'Once upon a time', thinking: 'Hm', stopReason: 'end' })
    expect(upstream.requests).toHaveLength(2)
  })
})
