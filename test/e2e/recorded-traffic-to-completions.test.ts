import { isDeepStrictEqual } from 'node:util'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BodyFormatId, bodyFormatIds } from '../support/body-formats.ts'
import { collect } from '../support/collect.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { hasOddTotal } from '../support/has-odd-total.ts'
import { readAnswer } from '../support/judge.ts'
import { countOf, type Judged } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import {
  type CorpusReplay,
  forEachAtOnce,
  modelOfCase,
  openCorpusReplay,
} from '../support/open-corpus-replay.ts'
import { testKey } from '../support/start-gateway.ts'

const chat = loadCases({ api: 'openai.chat' })
const messages = loadCases({ api: 'anthropic.messages' })
const cases: Readonly<Record<BodyFormatId, readonly CorpusCase[]>> = {
  chat: chat ?? [],
  messages: messages ?? [],
  responses: loadCases({ api: 'openai.responses' }) ?? [],
}

function isGood({ response, features }: CorpusCase): boolean {
  return response.status === 200 && !features.includes('error_mid_stream')
}

/** The parts of an answer that a completion can say. */
interface Said {
  readonly text: string
  readonly reason: string | undefined
  readonly usage: { readonly input: number; readonly output: number }
}

function recordedText({ response }: CorpusCase): string {
  return response.sse ?? JSON.stringify(response.body)
}

/** Words for an end that have none in this format are `stop`, as calls are that nobody asked for. */
const reasons: Readonly<Record<string, string>> = { length: 'length', refused: 'content_filter' }

function expectedOf({ text, refusal, stopReason, usage }: Judged): Said {
  return {
    text: text + refusal,
    // The words of a refusal are text here, so that the finish reason says that they are one.
    reason: reasons[stopReason ?? ''] ?? (refusal === '' ? 'stop' : 'content_filter'),
    usage: { input: usage?.input ?? 0, output: usage?.output ?? 0 },
  }
}

function saidIn(parts: readonly OpenAI.Completion[]): Said {
  const choices = parts.flatMap((part) => part.choices.filter(({ index }) => index === 0))
  const usage = parts.findLast((part) => part.usage)?.usage
  return {
    text: choices.map(({ text }) => text).join(''),
    reason: choices.findLast(({ finish_reason: reason }) => reason)?.finish_reason,
    usage: { input: countOf(usage?.prompt_tokens), output: countOf(usage?.completion_tokens) },
  }
}

interface Exclusion {
  readonly without: readonly (keyof Said)[]
  applies(text: string, recorded: CorpusCase): boolean
}

/** Answers that contradict themselves, or of which this format has more. */
const exclusions: Readonly<Record<string, Exclusion>> = {
  'speech, of which the words are given': {
    without: ['text'],
    applies: (text) => /"audio":\s*\{[^}]*"transcript":\s*"[^"]/.test(text),
  },
  'counts that do not add up to their total': {
    without: ['usage'],
    applies: (text, recorded) => /"total_tokens"/.test(text) && hasOddTotal(recorded),
  },
  'two answers in one recording, of which the first is given': {
    without: ['text', 'usage'],
    applies: (text) => (text.match(/^event: (?:message_stop|response\.completed)/gm)?.length ?? 0) > 1,
  },
}

describe.each(bodyFormatIds)('recorded %s traffic to callers of completions', (format) => {
  const recordings = cases[format]
  let replay: CorpusReplay
  let client: OpenAI
  beforeAll(async () => {
    const names = recordings.map((_case, index) => modelOfCase(format, index))
    const facts = names.map((name) => `  ${name}: { completions: false }\n`)
    const only = { chat: [], messages: [], [format]: recordings }
    replay = await openCorpusReplay(only, names.length === 0 ? '' : `models:\n${facts.join('')}`)
    client = new OpenAI({ baseURL: `${replay.gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  })
  afterAll(() => replay[Symbol.asyncDispose]())

  async function askCase(recorded: CorpusCase): Promise<readonly OpenAI.Completion[]> {
    const model = modelOfCase(format, recordings.indexOf(recorded))
    const body = { model, prompt: 'Hi', max_tokens: 64 }
    if (recorded.response.sse === undefined) return [await client.completions.create(body)]
    const options = { stream: true, stream_options: { include_usage: true } } as const
    return collect(await client.completions.create({ ...body, ...options }))
  }

  it.skipIf(recordings.length === 0)(
    'gives the official client the content of the recording',
    async () => {
      const counts = new NamedCounts()
      const good = recordings.filter(isGood)
      const failed: string[] = []
      await forEachAtOnce(good, 8, async (recorded) => {
        const text = recordedText(recorded)
        const expected = expectedOf(
          readAnswer({ format, body: text, isStream: recorded.response.sse !== undefined }),
        )
        const [rule = 'equal', exclusion] =
          Object.entries(exclusions).find(([, { applies }]) => applies(text, recorded)) ?? []
        const said = await askCase(recorded).then(saidIn, String)
        const keys = (['text', 'reason', 'usage'] as const).filter((key) => !exclusion?.without.includes(key))
        const isEqual =
          typeof said !== 'string' && keys.every((key) => isDeepStrictEqual(said[key], expected[key]))
        counts.add(isEqual ? rule : 'failed')
        if (!isEqual) failed.push(`${recorded.id}: ${JSON.stringify(said)} for ${JSON.stringify(expected)}`)
      })
      counts.print(`${format} answers to completions callers`)
      const excluded = good.length - counts.count('equal') - counts.count('failed')
      expect(excluded).toBeLessThanOrEqual(good.length * 0.05)
      expect(failed, failed.join('\n')).toEqual([])
    },
    60_000,
  )
})
