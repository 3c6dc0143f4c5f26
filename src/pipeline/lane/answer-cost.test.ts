import { describe, expect, it } from 'vitest'
import { readGoldenCases } from '../../../test/support/golden/golden-files.ts'
import {
  type AskedLane,
  findProvider,
  openConversationLane,
} from '../../../test/support/open-conversation-lane.ts'
import { isFailure } from '../../canonical/failure.ts'
import { type FormatId, formatIds } from '../../canonical/format.ts'
import { noUsage } from '../../canonical/usage.ts'
import { runToEnd } from '../../kit/async/steps.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import type { AnsweredUsage, CostOf } from '../exchange/answer-cost.ts'
import type { ConversationExchange, ForAttempt } from '../exchange/exchange.ts'
import { ShownTranscript } from '../exchange/shown-transcript.ts'
import type { Lane } from './lane.ts'

const COST = '0.000123456'
/** The cost as a member of an object, first or last. */
const costMember = /"cost":0\.000123456,|,"cost":0\.000123456/

const goldenCases = readGoldenCases()

function replyOf(format: FormatId, name: string): Buffer {
  const body = goldenCases.find((each) => each.format === format && each.name === name)?.reply?.body
  if (body === undefined) throw new Error(`no golden ${format} ${name}`)
  return Buffer.from(body)
}

const question = { role: 'user', content: 'Hi' }
const plain: Readonly<Record<FormatId | 'completions', object>> = {
  chat: { model: 'm', messages: [question] },
  completions: { model: 'm', prompt: 'Hi' },
  messages: { model: 'm', max_tokens: 9, messages: [question] },
  responses: { model: 'm', input: 'Hi' },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}

interface Asked extends Pick<AskedLane, 'format' | 'channelFormat'> {
  readonly isStream?: boolean
  /** Further fields of the body. */
  readonly fields?: object
  readonly more?: Partial<ForAttempt<ConversationExchange>>
}

function open({ format, channelFormat, isStream = false, fields, more = {} }: Asked): Lane {
  const stream = isStream && format !== 'gemini' ? { stream: true } : {}
  const opened = openConversationLane({
    format,
    channelFormat,
    isStream,
    more,
    provider: findProvider('openai-compatible'),
    body: JSON.stringify({ ...plain[format], ...stream, ...fields }),
  })
  if (opened.type !== 'call') throw new Error(opened.type)
  return opened.lane
}

function relay(lane: Lane, answer: Buffer): string {
  const relayed = lane.createStreamRelay(createSseParser())
  const parts = [...relayed.push(answer), ...relayed.end()]
  expect(relayed.failure).toBeUndefined()
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString()
}

function readWhole(lane: Lane, answer: Buffer): string {
  const reply = runToEnd(lane.readWhole(answer, false))
  if (isFailure(reply)) throw new Error(reply.message)
  return reply.body.toString()
}

/** Prices every answer the same, and notes what it was asked for. */
function createPrice(): { readonly costOf: CostOf; readonly asked: AnsweredUsage[] } {
  const asked: AnsweredUsage[] = []
  return {
    asked,
    costOf(answer) {
      asked.push(answer)
      return COST
    },
  }
}

const usageAsked = { stream_options: { include_usage: true } }
const lanes = formatIds.flatMap((format) => formatIds.map((channelFormat) => ({ format, channelFormat })))

describe.each(lanes)('a caller of $format who asks for the cost, on a channel of $channelFormat', (asked) => {
  const fields = asked.format === 'chat' ? usageAsked : {}

  it('finds it in the usage of a whole answer that is otherwise the same', () => {
    const { costOf, asked: priced } = createPrice()
    const answer = replyOf(asked.channelFormat, 'text')
    const shown = readWhole(open({ ...asked, more: { costOf } }), answer)
    expect(shown.replace(costMember, '')).toBe(readWhole(open(asked), answer))
    expect(shown).toMatch(costMember)
    expect(priced.map(({ usage }) => usage.outputTokens)).toEqual([expect.any(Number)])
  })

  it('finds it once, in the last usage of a stream that is otherwise the same', () => {
    const { costOf, asked: priced } = createPrice()
    const answer = replyOf(asked.channelFormat, 'text-stream')
    const shown = relay(open({ ...asked, fields, isStream: true, more: { costOf } }), answer)
    expect(shown.replace(costMember, '')).toBe(relay(open({ ...asked, fields, isStream: true }), answer))
    expect(shown.split(costMember)).toHaveLength(2)
    expect(shown.slice(shown.search(costMember)).split('data: {').length).toBeLessThanOrEqual(2)
    expect(priced).toHaveLength(1)
    expect(priced[0]?.usage).not.toEqual(noUsage)
  })

  it('finds it when a whole answer comes instead of a stream', () => {
    const { costOf } = createPrice()
    const answer = replyOf(asked.channelFormat, 'text')
    const lane = open({ ...asked, isStream: true, more: { costOf } })
    const reply = runToEnd(lane.readWhole(answer, true))
    if (isFailure(reply)) throw new Error(reply.message)
    expect(reply.body.toString().split(costMember)).toHaveLength(2)
  })

  it('gets the answer unchanged when it has no price', () => {
    const answer = replyOf(asked.channelFormat, 'text')
    expect(readWhole(open({ ...asked, more: { costOf: () => undefined } }), answer)).toBe(
      readWhole(open(asked), answer),
    )
  })
})

describe.each(formatIds)('a chat stream without usage from a channel of %s', (channelFormat) => {
  it('has usage with the cost when the caller asks for it', () => {
    const answer = replyOf(channelFormat, 'text-stream')
    const asked = { format: 'chat', channelFormat, isStream: true } as const
    const { costOf } = createPrice()
    expect(relay(open(asked), answer)).not.toContain('"usage":{')
    expect(relay(open({ ...asked, more: { costOf } }), answer)).toMatch(
      /"choices":\[\],"usage":\{.*"cost":0\.000123456/,
    )
  })
})

it('a caller of completions gets the cost', () => {
  const { costOf } = createPrice()
  const asked = { format: 'completions', channelFormat: 'chat', more: { costOf } } as const
  expect(readWhole(open(asked), replyOf('chat', 'text'))).toMatch(costMember)
  expect(relay(open({ ...asked, isStream: true }), replyOf('chat', 'text-stream'))).toMatch(costMember)
})

it('a stream that a second generation may have to complete has the cost', () => {
  const { costOf } = createPrice()
  const asked = { format: 'chat', channelFormat: 'messages', isStream: true } as const
  const transcript = new ShownTranscript(chatFormat.createStreamWriter({ streamUsage: true, requestId: 'r' }))
  const shown = relay(open({ ...asked, more: { costOf, transcript } }), replyOf('messages', 'text-stream'))
  expect(shown.split(costMember)).toHaveLength(2)
})

it('the cost depends on the tier at which the answer was served', () => {
  const { costOf, asked } = createPrice()
  const text = replyOf('chat', 'text').toString()
  const tiered = Buffer.from(text.replace('{', '{"service_tier":"flex",'))
  readWhole(open({ format: 'chat', channelFormat: 'chat', more: { costOf } }), tiered)
  readWhole(open({ format: 'messages', channelFormat: 'chat', more: { costOf } }), tiered)
  expect(asked.map(({ servedTier }) => servedTier)).toEqual(['flex', 'flex'])
})
