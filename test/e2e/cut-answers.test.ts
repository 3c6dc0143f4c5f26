import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, errorAtEnd, errorEvents, isTerminated, splitEvents } from '../support/ask.ts'
import type { BodyFormatId } from '../support/body-formats.ts'
import { collect } from '../support/collect.ts'
import { fieldsOf } from '../support/judged.ts'
import { anthropicOf, type OpenGateway, openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { createRelay, formats, lanes, relayAll } from '../support/relays.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { type RecordedRequest, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'

/** Where the frame that begins here has its JSON whole. */
function jsonEnd(bytes: Buffer, frameAt: number): number {
  return bytes.indexOf('\n\n', frameAt)
}

describe.each(lanes.map(([caller, channel], index) => [caller, channel, index % 2] as const))(
  'in process, a %s caller on a %s channel',
  (caller, channel, first) => {
    const { bytes, contentAt, finishAt } = sampleStreams[channel]

    it('never treats a stream as whole that is truncated before its finish', () => {
      // Another lane has the other bytes; `test/long/cut-answers.ts` has all.
      for (let at = first; at < jsonEnd(bytes, finishAt); at += 2) {
        const relay = createRelay(caller, channel)
        const output = relayAll(relay, [bytes.subarray(0, at)])
        const hasContent = at >= jsonEnd(bytes, contentAt)
        expect([relay.isComplete, relay.hasContent], `cut at ${at}`).toEqual([false, hasContent])
        const codes = hasContent ? ['upstream_disconnected'] : ['upstream_disconnected', 'upstream_empty']
        expect(codes, `cut at ${at}`).toContain(relay.failure?.code)
        expect(isTerminated(caller, output), `cut at ${at}`).toBe(false)
        if (relay.failure === undefined) continue
        const ended = output + formats[caller].writeErrorEvent(relay.failure, 'req_1')
        expect(errorAtEnd(caller, ended), `cut at ${at}`).toBeDefined()
      }
    })

    it('gets a terminator or a failure, never both, wherever the stream is truncated after its finish', () => {
      for (let at = jsonEnd(bytes, finishAt); at <= bytes.length; at += 1) {
        const relay = createRelay(caller, channel)
        const output = relayAll(relay, [bytes.subarray(0, at)])
        expect(relay.isComplete, `cut at ${at}`).toBe(relay.failure === undefined)
        expect(isTerminated(caller, output), `cut at ${at}`).toBe(relay.isComplete)
      }
    })
  },
)

const endings = ['half-close', 'reset', 'end'] as const
/** More of them, of many lengths: `test/long/cut-answers.ts`. */
const SAMPLES = 24

/** The answer that the model's name asks for: `cut-<position>-<ending>`. */
function answerCut(channel: BodyFormatId, { body }: RecordedRequest): ScriptedAnswer {
  const model = String(fieldsOf(JSON.parse(body.toString()))['model'])
  const [, at, ending] = model.split(':')
  const { bytes } = sampleStreams[channel]
  const piece = bytes.subarray(0, Number(at))
  return sseAnswer(
    piece.length === 0 ? [] : [piece],
    endings.find((each) => each === ending),
  )
}

function positionsOf(channel: BodyFormatId): readonly { readonly at: number; readonly model: string }[] {
  const { bytes, finishAt } = sampleStreams[channel]
  const last = jsonEnd(bytes, finishAt) - 1
  return Array.from({ length: SAMPLES }, (_, index) => {
    const at = Math.floor((index * last) / (SAMPLES - 1))
    return { at, model: `cut:${at}:${endings[index % endings.length]}` }
  })
}

describe.each(lanes)('over real sockets, a %s caller on a %s channel', (caller, channel) => {
  const positions = positionsOf(channel)
  const { contentAt, finishAt, bytes } = sampleStreams[channel]
  const good = sseAnswer(sampleStreams[channel].frames)
  let alone: OpenGateway
  let pair: OpenGateway
  beforeAll(async () => {
    const models = positions.map(({ model }) => model)
    // An answer that is stored has our id in place of the provider's.
    const more = 'retry: { same_target: 0 }\nstored_responses: off\n'
    const plan = { format: channel, models, more }
    const cut = (request: RecordedRequest) => answerCut(channel, request)
    alone = await openGateway({ ...plan, scripts: [cut] })
    pair = await openGateway({ ...plan, scripts: [cut, good] })
  })
  afterAll(async () => {
    await alone[Symbol.asyncDispose]()
    await pair[Symbol.asyncDispose]()
  })

  it('a truncated answer ends with an error event and without the terminator, or is an HTTP error', async () => {
    for (const { at, model } of positions) {
      const target = { url: alone.gateway.url, format: caller }
      const { status, body, isCut } = await ask(target, streamRequest(model))
      const text = body.toString()
      expect(isTerminated(caller, text), model).toBe(false)
      if (at < jsonEnd(bytes, contentAt)) {
        expect([status, isCut], model).toEqual([502, false])
        expect(JSON.parse(text), model).toHaveProperty('error.message')
        continue
      }
      // A reset may overtake the bytes before it, and with them the first content.
      if (status === 502 && model.endsWith('reset')) continue
      expect([status, isCut], model).toEqual([200, true])
      expect(errorAtEnd(caller, text), model).toMatchObject({ code: 'upstream_disconnected' })
      if (caller !== channel) continue
      const passed = splitEvents(text).slice(0, -errorEvents[caller]).join('')
      expect(bytes.toString().startsWith(passed.trimEnd()), model).toBe(true)
    }
  })

  it('another channel takes over before content is sent, and none after', async () => {
    for (const { at, model } of positions) {
      const askedBefore = pair.upstreams[1]?.requests.length ?? 0
      const target = { url: pair.gateway.url, format: caller }
      const { status, body } = await ask(target, streamRequest(model))
      const asked = (pair.upstreams[1]?.requests.length ?? 0) - askedBefore
      expect(status, model).toBe(200)
      expect(isTerminated(caller, body.toString()), model).toBe(asked === 1)
      if (at < jsonEnd(bytes, contentAt)) expect(asked, model).toBe(1)
      else if (!model.endsWith('reset')) expect(asked, model).toBe(0)
    }
  })

  async function askUntilFinish(ending: 'half-close' | 'hang' | 'reset') {
    const finished = bytes.subarray(0, jsonEnd(bytes, finishAt) + 2)
    const more = 'retry: { attempts: 1 }\nstored_responses: off\n'
    const scripts = [sseAnswer([finished], ending)]
    const given = { format: channel, more, firstMore: 'timeouts: { idle: 1s }' }
    await using opened = await openGateway({ ...given, scripts })
    return await ask({ url: opened.gateway.url, format: caller }, streamRequest('m'))
  }

  it('an answer whose connection is reset after its finish is not complete, as what followed may be lost', async () => {
    const answer = await askUntilFinish('reset')
    // In the responses format, nothing can follow the finish.
    expect(isTerminated(caller, answer.body.toString())).toBe(channel === 'responses')
  })

  it.each(['half-close', 'hang'] as const)(
    'an answer whose connection is closed or stays silent after its finish is complete: %s',
    async (ending) => {
      const answer = await askUntilFinish(ending)
      expect([answer.status, answer.isCut]).toEqual([200, false])
      expect(isTerminated(caller, answer.body.toString())).toBe(true)
      expect(errorAtEnd(caller, answer.body.toString())).toBeUndefined()
    },
  )

  it('the official client throws when it iterates', async () => {
    for (const { model } of positions) {
      const messages = [{ role: 'user' as const, content: 'Hi' }]
      const read = async () =>
        caller === 'chat'
          ? collect(await openaiOf(alone).chat.completions.create({ model, messages, stream: true }))
          : collect(
              await anthropicOf(alone).messages.create({ model, messages, max_tokens: 64, stream: true }),
            )
      const refusal = await refusalOf(read())
      expect(refusal, model).toBeInstanceOf(caller === 'chat' ? OpenAI.APIError : Anthropic.APIError)
    }
  })
})
