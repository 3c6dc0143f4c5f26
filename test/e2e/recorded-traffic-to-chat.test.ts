import { isDeepStrictEqual } from 'node:util'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { expectedFault } from '../support/expected-fault.ts'
import { readAnswer } from '../support/judge.ts'
import { countOf, fieldsOf, type Judged, textOf } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import {
  type CorpusReplay,
  forEachAtOnce,
  modelOfCase,
  openCorpusReplay,
} from '../support/open-corpus-replay.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { testKey } from '../support/start-gateway.ts'

const loaded = loadCases({ api: 'anthropic.messages' })
const cases = loaded ?? []
const isBroken = ({ features }: CorpusCase) => features.includes('error_mid_stream')
const answered = cases.filter((recorded) => recorded.response.status === 200 && !isBroken(recorded))

/** The parts that can be compared across the formats. */
interface Said extends Pick<Judged, 'text' | 'thinking' | 'toolCalls' | 'stopReason'> {
  readonly usage: { readonly input: number; readonly cacheRead: number; readonly output: number }
}

function recordedText({ response }: CorpusCase): string {
  return response.sse ?? JSON.stringify(response.body)
}

function readRecording(recorded: CorpusCase): Judged {
  const isStream = recorded.response.sse !== undefined
  return readAnswer({ format: 'messages', body: recordedText(recorded), isStream })
}

/** The recording in the words that the other format has for it. */
function expectedOf({ text, thinking, toolCalls, stopReason, usage }: Judged): Said {
  return {
    text,
    thinking,
    toolCalls,
    // A turn that pauses for the provider's own work is no end that the chat format can tell.
    stopReason: stopReason === 'pause' ? 'end' : stopReason,
    usage: usage ?? { input: 0, cacheRead: 0, output: 0 },
  }
}

const stops: Readonly<Record<string, Judged['stopReason']>> = {
  stop: 'end',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'refused',
}

function saidIn({ choices, usage }: OpenAI.ChatCompletion, thinking: string | undefined): Said {
  const [choice] = choices
  const calls = choice?.message.tool_calls ?? []
  return {
    text: choice?.message.content ?? '',
    thinking: thinking ?? textOf(fieldsOf(choice?.message)['reasoning_content']),
    toolCalls: calls.flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, arguments: JSON.parse(call.function.arguments) }]
        : [],
    ),
    stopReason: stops[choice?.finish_reason ?? ''],
    usage: {
      input: countOf(usage?.prompt_tokens),
      cacheRead: countOf(usage?.prompt_tokens_details?.cached_tokens),
      output: countOf(usage?.completion_tokens),
    },
  }
}

interface Exclusion {
  /** The parts that are not compared; all others are. */
  readonly without: readonly (keyof Said)[]
  applies(recorded: CorpusCase): boolean
}

const exclusions: Readonly<Record<string, Exclusion>> = {
  'two answers in one recording, of which the first is given': {
    without: ['text', 'usage'],
    applies: ({ response }) => (response.sse?.match(/^event: message_stop/gm)?.length ?? 1) > 1,
  },
}

function compare(said: Said, expected: Said, without: readonly (keyof Said)[] = []): readonly string[] {
  const keys = ['text', 'thinking', 'toolCalls', 'stopReason', 'usage'] as const
  return keys.filter((key) => !without.includes(key) && !isDeepStrictEqual(said[key], expected[key]))
}

describe.skipIf(loaded === undefined)('recorded messages traffic to callers of the chat format', () => {
  let replay: CorpusReplay
  let client: OpenAI
  beforeAll(async () => {
    replay = await openCorpusReplay({ chat: [], messages: cases })
    client = new OpenAI({ baseURL: `${replay.gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  })
  afterAll(() => replay[Symbol.asyncDispose]())

  const bodyOf = (recorded: CorpusCase) => ({
    model: modelOfCase('messages', cases.indexOf(recorded)),
    messages: [{ role: 'user' as const, content: 'Hi' }],
  })

  async function askCase(recorded: CorpusCase): Promise<Said> {
    if (recorded.response.sse === undefined) {
      return saidIn(await client.chat.completions.create(bodyOf(recorded)), undefined)
    }
    const options = { include_usage: true }
    const stream = client.chat.completions.stream({ ...bodyOf(recorded), stream_options: options })
    // The client gathers no fields that its own types lack.
    let thinking = ''
    stream.on('chunk', ({ choices }) => {
      thinking += textOf(fieldsOf(choices[0]?.delta)['reasoning_content'])
    })
    return saidIn(await stream.finalChatCompletion(), thinking)
  }

  it('gives the official client the content of the recording', async () => {
    const counts = new NamedCounts()
    const failed: string[] = []
    await forEachAtOnce(answered, 8, async (recorded) => {
      const judged = readRecording(recorded)
      const [rule = 'equal', exclusion] =
        Object.entries(exclusions).find(([, { applies }]) => applies(recorded)) ?? []
      const said = await askCase(recorded).catch(String)
      const differing =
        typeof said === 'string' ? [said] : compare(said, expectedOf(judged), exclusion?.without)
      counts.add(differing.length === 0 ? rule : 'failed')
      if (differing.length > 0) failed.push(`${recorded.id}: ${differing.join(', ')} ${JSON.stringify(said)}`)
    })
    counts.print('messages answers to chat callers')
    const excluded = answered.length - counts.count('equal') - counts.count('failed')
    expect(excluded).toBeLessThanOrEqual(answered.length * 0.05)
    expect(failed, failed.join('\n')).toEqual([])
  })

  it('has totals that add up, with cached input as part of the prompt', async () => {
    const whole = answered.filter(({ response }) => response.sse === undefined)
    await forEachAtOnce(whole, 8, async (recorded) => {
      const { usage } = await client.chat.completions.create(bodyOf(recorded))
      const details = fieldsOf(usage?.prompt_tokens_details)
      const cached = countOf(details['cached_tokens']) + countOf(details['cache_write_tokens'])
      expect(usage?.total_tokens, recorded.id).toBe(
        countOf(usage?.prompt_tokens) + countOf(usage?.completion_tokens),
      )
      expect(cached, recorded.id).toBeLessThanOrEqual(countOf(usage?.prompt_tokens))
    })
  })

  it('reports faults of the request in the provider’s words, those of the account as gateway faults', async () => {
    const counts = new NamedCounts()
    const faults = cases.filter(({ response }) => response.status >= 400)
    await forEachAtOnce(faults, 8, async (recorded) => {
      const refusal = await refusalOf(askCase(recorded))
      const { status, type } = expectedFault(recorded.response.status)
      expect(refusal, recorded.id).toMatchObject({ status, type: type?.chat ?? 'invalid_request_error' })
      counts.add(`${recorded.response.status} as ${status}`)
    })
    counts.print('messages errors to chat callers')
  })

  it('reports a broken stream to the client as an error', async () => {
    for (const recorded of cases.filter(isBroken)) {
      expect(await refusalOf(askCase(recorded)), recorded.id).toBeInstanceOf(OpenAI.APIError)
    }
  })
})
