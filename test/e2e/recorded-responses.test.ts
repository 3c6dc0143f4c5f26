import { isDeepStrictEqual } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FormatId } from '../../src/canonical/format.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { hasOddTotal } from '../support/has-odd-total.ts'
import { readAnswer } from '../support/judge.ts'
import { fieldsOf, type Judged, textOf } from '../support/judged.ts'
import {
  type CorpusReplay,
  forEachAtOnce,
  modelOfCase,
  openCorpusReplay,
} from '../support/open-corpus-replay.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { testKey } from '../support/start-gateway.ts'
import { Tally } from '../support/tally.ts'

const responses = loadCases({ api: 'openai.responses' })
const cases: Readonly<Record<FormatId, readonly CorpusCase[]>> = {
  chat: loadCases({ api: 'openai.chat' }) ?? [],
  messages: loadCases({ api: 'anthropic.messages' }) ?? [],
  responses: responses ?? [],
}

function isGood({ response, features }: CorpusCase): boolean {
  return response.status === 200 && !features.includes('error_mid_stream')
}

const compared = ['text', 'thinking', 'toolCalls', 'stopReason', 'usage'] as const
type Compared = (typeof compared)[number]
type Said = Pick<Judged, Compared>

/** What an answer says in words that all formats have; a refusal is text to those that have no other place for it. */
function plainly({ text, refusal, thinking, toolCalls, stopReason, usage }: Judged): Said {
  const { input, cacheRead, output } = usage ?? { input: 0, cacheRead: 0, output: 0 }
  // A call of nothing is none.
  const calls = toolCalls.filter(({ name }) => name !== '')
  return {
    text: text + refusal,
    thinking,
    toolCalls: calls,
    stopReason: plainStop(stopReason, { hasCalls: calls.length > 0, isRefused: refusal !== '' }),
    // No more can be read from a cache than was read at all.
    usage: { input, cacheRead: Math.min(cacheRead, input), output },
  }
}

function plainStop(
  stop: Judged['stopReason'],
  { hasCalls, isRefused }: { readonly hasCalls: boolean; readonly isRefused: boolean },
): Judged['stopReason'] {
  if (stop === 'length' || stop === 'refused') return stop
  if (isRefused) return 'refused'
  return hasCalls ? 'tool-calls' : 'end'
}

function readRecording(format: FormatId, { response }: CorpusCase): Judged {
  const body = response.sse ?? JSON.stringify(response.body)
  return readAnswer({ format, body, isStream: response.sse !== undefined })
}

interface Exclusion {
  readonly without: readonly Compared[]
  applies(text: string, recorded: CorpusCase): boolean
}

/** Answers that contradict themselves, or of which the caller's format has less. */
const exclusions: Readonly<Record<string, Exclusion>> = {
  'speech, of which the words are given': {
    without: ['text'],
    applies: (text) => /"audio":\s*\{[^}]*"transcript":\s*"[^"]/.test(text),
  },
  'counts that do not add up to their total': {
    without: ['usage'],
    applies: (text, recorded) => /"total_tokens"/.test(text) && hasOddTotal(recorded),
  },
  'several answers in one recording, of which the first is given': {
    without: ['text', 'toolCalls', 'usage', 'thinking', 'stopReason'],
    applies: (text) => (text.match(/^event: (?:message_stop|response\.completed)/gm)?.length ?? 0) > 1,
  },
  'a tool of free text, which a format without them gives as an object': {
    without: ['toolCalls'],
    applies: (text) => /"custom_tool_call"/.test(text),
  },
  'cached input under a name of one provider’s own': {
    without: ['usage'],
    applies: (text) => /"num_cached_tokens":\s*[1-9]/.test(text),
  },
}

/** Asks as the official client of a format does, and gives what it understood. */
type Ask = (model: string, isStream: boolean) => Promise<Judged>

function askAll(url: string): Readonly<Record<FormatId, Ask>> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: url, apiKey: testKey, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const judge = (format: FormatId, answer: object) =>
    readAnswer({ format, body: JSON.stringify(answer), isStream: false })
  return {
    async chat(model, isStream) {
      if (!isStream) return judge('chat', await openai.chat.completions.create({ model, messages }))
      const stream = openai.chat.completions.stream({
        model,
        messages,
        stream_options: { include_usage: true },
      })
      // The client gathers no fields that its own types lack.
      let thinking = ''
      stream.on('chunk', ({ choices }) => {
        thinking += textOf(fieldsOf(choices[0]?.delta)['reasoning_content'])
      })
      return { ...judge('chat', await stream.finalChatCompletion()), thinking }
    },
    async messages(model, isStream) {
      const body = { model, messages, max_tokens: 64 }
      const answer = isStream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body)
      return judge('messages', answer)
    },
    async responses(model, isStream) {
      if (!isStream) return judge('responses', await openai.responses.create({ model, input: 'Hi' }))
      return judge('responses', await openai.responses.stream({ model, input: 'Hi' }).finalResponse())
    },
  }
}

const pairs: readonly (readonly [channel: FormatId, caller: FormatId])[] = [
  ['responses', 'chat'],
  ['responses', 'messages'],
  ['chat', 'responses'],
  ['messages', 'responses'],
]

describe.skipIf(responses === undefined)('recorded traffic to and from the responses format', () => {
  let replay: CorpusReplay
  let clients: Readonly<Record<FormatId, Ask>>
  beforeAll(async () => {
    replay = await openCorpusReplay(cases)
    clients = askAll(replay.gateway.url)
  })
  afterAll(() => replay[Symbol.asyncDispose]())

  const askCase = (channel: FormatId, caller: FormatId, recorded: CorpusCase) =>
    clients[caller](
      modelOfCase(channel, cases[channel].indexOf(recorded)),
      recorded.response.sse !== undefined,
    )

  it.each(pairs)(
    'of a %s channel says to the official client of %s what the recording says',
    async (channel, caller) => {
      const counts = new Tally()
      const failed: string[] = []
      const good = cases[channel].filter(isGood)
      await forEachAtOnce(good, 8, async (recorded) => {
        const text = recorded.response.sse ?? JSON.stringify(recorded.response.body)
        const [rule = 'equal', exclusion] =
          Object.entries(exclusions).find(([, { applies }]) => applies(text, recorded)) ?? []
        const expected = plainly(readRecording(channel, recorded))
        const said = await askCase(channel, caller, recorded).then(plainly, String)
        const differing =
          typeof said === 'string'
            ? [said]
            : compared.filter(
                (key) => !exclusion?.without.includes(key) && !isDeepStrictEqual(said[key], expected[key]),
              )
        counts.add(differing.length === 0 ? rule : 'failed')
        if (differing.length === 0) return
        failed.push(
          `${recorded.id}: ${differing.join(', ')} ${JSON.stringify(said)} for ${JSON.stringify(expected)}`,
        )
      })
      counts.print(`${channel} answers to ${caller} callers`)
      const excluded = good.length - counts.count('equal') - counts.count('failed')
      expect(excluded).toBeLessThanOrEqual(good.length * 0.05)
      expect(failed.length, failed.join('\n')).toBeLessThanOrEqual((good.length - excluded) * 0.01)
    },
    120_000,
  )

  it.each(pairs)('of a %s channel that is an error is one for the client of %s', async (channel, caller) => {
    const faults = cases[channel].filter((recorded) => !isGood(recorded))
    await forEachAtOnce(faults, 8, async (recorded) => {
      const refusal = await refusalOf(askCase(channel, caller, recorded))
      const known = caller === 'messages' ? Anthropic.APIError : OpenAI.OpenAIError
      expect(refusal, recorded.id).toBeInstanceOf(known)
    })
  })
})
