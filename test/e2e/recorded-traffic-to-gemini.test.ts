import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '@google/genai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askGemini } from '../support/ask-gemini.ts'
import type { Ask } from '../support/ask-with-clients.ts'
import { type BodyFormatId, bodyFormatIds } from '../support/body-formats.ts'
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

const chat = loadCases({ api: 'openai.chat' })
const cases: Readonly<Record<BodyFormatId, readonly CorpusCase[]>> = {
  chat: chat ?? [],
  messages: loadCases({ api: 'anthropic.messages' }) ?? [],
  responses: loadCases({ api: 'openai.responses' }) ?? [],
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
  'speech, of which the words are given, too': {
    without: ['text'],
    applies: (text) => /"audio":\s*\{[^}]*"transcript":\s*"[^"]/.test(text),
  },
  'several answers in one recording, of which the first is given': {
    without: ['text', 'toolCalls', 'usage', 'thinking', 'stopReason'],
    applies: (text) => (text.match(/^event: (?:message_stop|response\.completed)/gm)?.length ?? 0) > 1,
  },
  'a tool of free text, which the format gives as an object': {
    without: ['toolCalls'],
    applies: (text) =>
      /"custom_tool_call"|"type":\s*"custom",\s*"custom"|"custom":\s*\{\s*"input"/.test(text),
  },
  'cached input under a name of one provider’s own': {
    without: ['usage'],
    applies: (text) => /"num_cached_tokens":\s*[1-9]/.test(text),
  },
  'counts that do not add up to their total': {
    without: ['usage'],
    applies: (text, recorded) => /"total_tokens"/.test(text) && hasOddTotal(recorded),
  },
}

describe.skipIf(chat === undefined)('recorded traffic to callers of the Gemini format', () => {
  let replay: CorpusReplay
  let ask: Ask
  beforeAll(async () => {
    replay = await openCorpusReplay(cases)
    ask = askGemini(replay.gateway.url)
  })
  afterAll(() => replay[Symbol.asyncDispose]())

  const askCase = (channel: BodyFormatId, recorded: CorpusCase) =>
    ask(modelOfCase(channel, cases[channel].indexOf(recorded)), recorded.response.sse !== undefined)

  it.each(bodyFormatIds)(
    'of a %s channel gives the official client the content of the recording',
    async (channel) => {
      const counts = new NamedCounts()
      const failed: string[] = []
      const good = cases[channel].filter(isGood)
      await forEachAtOnce(good, 8, async (recorded) => {
        const text = recorded.response.sse ?? JSON.stringify(recorded.response.body)
        const [rule = 'equal', exclusion] =
          Object.entries(exclusions).find(([, { applies }]) => applies(text, recorded)) ?? []
        const expected = plainly(readRecording(channel, recorded))
        const said = await askCase(channel, recorded).then(plainly, String)
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
      counts.print(`${channel} answers to gemini callers`)
      const excluded = good.length - counts.count('equal') - counts.count('failed')
      expect(excluded).toBeLessThanOrEqual(good.length * 0.05)
      expect(failed, failed.join('\n')).toEqual([])
    },
    120_000,
  )

  it.each(bodyFormatIds)('of a %s channel reports an error to the client as an error', async (channel) => {
    const faults = cases[channel].filter((recorded) => !isGood(recorded))
    await forEachAtOnce(faults, 8, async (recorded) => {
      expect(await refusalOf(askCase(channel, recorded)), recorded.id).toBeInstanceOf(ApiError)
    })
  })
})
