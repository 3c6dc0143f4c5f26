import { isDeepStrictEqual } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { expectedFault } from '../support/expected-fault.ts'
import { hasOddTotal } from '../support/has-odd-total.ts'
import { readAnswer } from '../support/judge.ts'
import { countOf, fieldsOf, type Judged } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import {
  type CorpusReplay,
  forEachAtOnce,
  modelOfCase,
  openCorpusReplay,
} from '../support/open-corpus-replay.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { testKey } from '../support/start-gateway.ts'

const loaded = loadCases({ api: 'openai.chat' })
const cases = loaded ?? []
const isBroken = ({ features }: CorpusCase) => features.includes('error_mid_stream')
const answered = cases.filter((recorded) => recorded.response.status === 200 && !isBroken(recorded))

/** The parts that can be compared across the formats. */
interface Said extends Pick<Judged, 'text' | 'toolCalls' | 'stopReason'> {
  readonly usage: { readonly input: number; readonly output: number }
}

function textOf({ response }: CorpusCase): string {
  return response.sse ?? JSON.stringify(response.body)
}

function readRecording(recorded: CorpusCase): Judged {
  const isStream = recorded.response.sse !== undefined
  return readAnswer({ format: 'chat', body: textOf(recorded), isStream })
}

/** The recording in the words that the other format has for it. */
function expectedOf(recorded: CorpusCase): Said {
  const { text, refusal, toolCalls: calls, stopReason, usage } = readRecording(recorded)
  // Some servers send an empty `function_call` with every answer.
  const toolCalls = calls.filter(({ name }) => name !== '')
  const stop = stopReason === 'tool-calls' && toolCalls.length === 0 ? 'end' : stopReason
  return {
    text: text + refusal,
    toolCalls,
    // A whole stream that names no reason for its end is a whole answer.
    stopReason: refusal === '' ? (stop ?? 'end') : 'refused',
    // The messages format must say a number where the recording says none.
    usage: { input: usage?.input ?? 0, output: usage?.output ?? 0 },
  }
}

const stops: Readonly<Record<string, Judged['stopReason']>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  refusal: 'refused',
}

function saidIn({ content, stop_reason: stop, usage }: Anthropic.Message): Said {
  const cached = countOf(usage.cache_read_input_tokens) + countOf(usage.cache_creation_input_tokens)
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    toolCalls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
    ),
    stopReason: stop === null ? undefined : stops[stop],
    usage: { input: usage.input_tokens + cached, output: usage.output_tokens },
  }
}

interface Exclusion {
  /** The part that is not compared; all others are. */
  readonly without: keyof Said | 'all'
  applies(recorded: CorpusCase, judged: Judged): boolean
}

/** Answers that hold what the messages format has no place for, or that contradict themselves. */
const exclusions: Readonly<Record<string, Exclusion>> = {
  'speech, of which the words are given': {
    without: 'text',
    applies: (recorded) => /"audio":\s*\{[^}]*"transcript":\s*"[^"]/.test(textOf(recorded)),
  },
  'a tool of free text, whose input is put into an object': {
    without: 'toolCalls',
    applies: (recorded) => /"type":\s*"custom"/.test(textOf(recorded)),
  },
  'a reason for the end that is no word of the format': {
    without: 'stopReason',
    applies: (_recorded, { stopReason }) => stopReason?.startsWith('other: ') ?? false,
  },
  'counts that do not add up to their total': {
    without: 'usage',
    applies: (recorded) => /"total_tokens"/.test(textOf(recorded)) && hasOddTotal(recorded),
  },
}

function compare(said: Said, expected: Said, without: Exclusion['without'] | undefined): boolean {
  const keys = ['text', 'toolCalls', 'stopReason', 'usage'] as const
  return keys.every((key) => key === without || isDeepStrictEqual(said[key], expected[key]))
}

describe.skipIf(loaded === undefined)('recorded chat traffic to callers of the messages format', () => {
  let replay: CorpusReplay
  let client: Anthropic
  beforeAll(async () => {
    replay = await openCorpusReplay({ chat: cases, messages: [] })
    client = new Anthropic({ baseURL: replay.gateway.url, apiKey: testKey, maxRetries: 0 })
  })
  afterAll(() => replay[Symbol.asyncDispose]())

  function askCase(recorded: CorpusCase): Promise<Anthropic.Message> {
    const body = {
      model: modelOfCase('chat', cases.indexOf(recorded)),
      max_tokens: 64,
      messages: [{ role: 'user' as const, content: 'Hi' }],
    }
    if (recorded.response.sse === undefined) return client.messages.create(body)
    return client.messages.stream(body).finalMessage()
  }

  it('gives the official client the content of the recording', async () => {
    const counts = new NamedCounts()
    const failed: string[] = []
    await forEachAtOnce(answered, 8, async (recorded) => {
      const judged = readRecording(recorded)
      const [rule = 'equal', exclusion] =
        Object.entries(exclusions).find(([, { applies }]) => applies(recorded, judged)) ?? []
      const message = await askCase(recorded).then(saidIn, String)
      const isEqual =
        exclusion?.without === 'all' ||
        (typeof message !== 'string' && compare(message, expectedOf(recorded), exclusion?.without))
      counts.add(isEqual ? rule : 'failed')
      if (!isEqual) failed.push(`${recorded.id}: ${JSON.stringify(message)}`)
    })
    counts.print('chat answers to messages callers')
    const excluded = answered.length - counts.count('equal') - counts.count('failed')
    expect(excluded).toBeLessThanOrEqual(answered.length * 0.05)
    expect(failed, failed.join('\n')).toEqual([])
  })

  it('reports faults of the request in the provider’s words, those of the account as gateway faults', async () => {
    const counts = new NamedCounts()
    const faults = cases.filter(({ response }) => response.status >= 400)
    await forEachAtOnce(faults, 8, async (recorded) => {
      const refusal = await refusalOf(askCase(recorded))
      const { status, type } = expectedFault(recorded.response.status)
      expect(refusal, recorded.id).toMatchObject({ status, type: type?.messages ?? 'invalid_request_error' })
      const { message } = fieldsOf(fieldsOf(recorded.response.body)['error'])
      expect(String(refusal).includes(JSON.stringify(message)), recorded.id).toBe(type === undefined)
      counts.add(`${recorded.response.status} as ${status}`)
    })
    counts.print('chat errors to messages callers')
  })

  it('reports a broken stream to the client as an error', async () => {
    for (const recorded of cases.filter(isBroken)) {
      const refusal = await refusalOf(askCase(recorded))
      expect(refusal, recorded.id).toBeInstanceOf(Anthropic.APIError)
    }
  })
})
