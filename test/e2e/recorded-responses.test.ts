import { isDeepStrictEqual } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ask, askWithClients } from '../support/ask-with-clients.ts'
import type { BodyFormatId } from '../support/body-formats.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { hasOddTotal } from '../support/has-odd-total.ts'
import { readAnswer } from '../support/judge.ts'
import type { Judged } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import {
  type CorpusReplay,
  forEachAtOnce,
  modelOfCase,
  openCorpusReplay,
} from '../support/open-corpus-replay.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { type Compared, compared, plainly } from '../support/plainly.ts'

const responses = loadCases({ api: 'openai.responses' })
const cases: Readonly<Record<BodyFormatId, readonly CorpusCase[]>> = {
  chat: loadCases({ api: 'openai.chat' }) ?? [],
  messages: loadCases({ api: 'anthropic.messages' }) ?? [],
  responses: responses ?? [],
}

function isGood({ response, features }: CorpusCase): boolean {
  return response.status === 200 && !features.includes('error_mid_stream')
}

function readRecording(format: BodyFormatId, { response }: CorpusCase): Judged {
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

const pairs: readonly (readonly [channel: BodyFormatId, caller: BodyFormatId])[] = [
  ['responses', 'chat'],
  ['responses', 'messages'],
  ['chat', 'responses'],
  ['messages', 'responses'],
]

describe.skipIf(responses === undefined)('recorded traffic to and from the responses format', () => {
  let replay: CorpusReplay
  let clients: Readonly<Record<BodyFormatId, Ask>>
  beforeAll(async () => {
    replay = await openCorpusReplay(cases)
    clients = askWithClients(replay.gateway.url)
  })
  afterAll(() => replay[Symbol.asyncDispose]())

  const askCase = (channel: BodyFormatId, caller: BodyFormatId, recorded: CorpusCase) =>
    clients[caller](
      modelOfCase(channel, cases[channel].indexOf(recorded)),
      recorded.response.sse !== undefined,
    )

  it.each(pairs)(
    'of a %s channel gives the official client of %s the content of the recording',
    async (channel, caller) => {
      const counts = new NamedCounts()
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
      expect(failed, failed.join('\n')).toEqual([])
    },
    120_000,
  )

  it.each(pairs)(
    'of a %s channel reports an error to the client of %s as an error',
    async (channel, caller) => {
      const faults = cases[channel].filter((recorded) => !isGood(recorded))
      await forEachAtOnce(faults, 8, async (recorded) => {
        const refusal = await refusalOf(askCase(channel, caller, recorded))
        const known = caller === 'messages' ? Anthropic.APIError : OpenAI.OpenAIError
        expect(refusal, recorded.id).toBeInstanceOf(known)
      })
    },
  )
})
