import { describe, expect, it } from 'vitest'
import {
  type AskedLane,
  findProvider,
  openConversationLane,
} from '../../../test/support/open-conversation-lane.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import { heldParts } from '../../upstream/upstream-body.ts'
import type { Lane } from './lane.ts'

const anyone = findProvider('openai-compatible')

function openCapped(
  asked: Omit<AskedLane, 'provider'> & Partial<AskedLane>,
  maxOutputTokens: number,
  isStrict = false,
): Lane {
  const opened = openConversationLane({ provider: anyone, ...asked, more: { maxOutputTokens, isStrict } })
  if (opened.type !== 'call') throw new Error(opened.type)
  return opened.lane
}

const bodyOf = ({ body }: Lane) => Buffer.concat(heldParts(body)).toString()
const chat = (more: object = {}) =>
  JSON.stringify({ model: 'm', ...more, messages: [{ role: 'user', content: 'Hi' }] })

it('a capped request reaches a channel of the same format as the caller’s bytes with a lower cap', () => {
  const given = chat({ max_tokens: 900, x_new: 1 })
  const lane = openCapped({ format: 'chat', channelFormat: 'chat', body: given }, 50)
  expect(lane.kind).toBe('verbatim')
  expect(bodyOf(lane)).toContain('"max_tokens":50,"x_new":1')
})

const capOf: Readonly<Record<ChannelFormatId, (body: Record<string, never>) => unknown>> = {
  chat: (body) => body['max_tokens'] ?? body['max_completion_tokens'],
  messages: (body) => body['max_tokens'],
  responses: (body) => body['max_output_tokens'],
  gemini: (body) => body['generationConfig']?.['maxOutputTokens'],
  cohere: (body) => body['max_tokens'],
  converse: (body) => body['inferenceConfig']?.['maxTokens'],
}

describe.each(['messages', 'responses', 'gemini', 'cohere', 'converse'] as const)(
  'a chat request to a channel of %s',
  (channelFormat) => {
    const capped = (more: object, tokens: number) =>
      capOf[channelFormat](
        JSON.parse(bodyOf(openCapped({ format: 'chat', channelFormat, body: chat(more) }, tokens))),
      )

    it('has the lower cap', () => {
      expect(capped({ max_tokens: 900 }, 50)).toBe(50)
    })

    it('has its own cap if that is low enough', () => {
      expect(capped({ max_tokens: 40 }, 50)).toBe(40)
    })

    it('has a cap even if the caller named none', () => {
      expect(capped({}, 50)).toBe(50)
    })
  },
)

it('a request keeps the cap that a format demands when a budget leaves more', () => {
  const lane = openCapped({ format: 'chat', channelFormat: 'messages', body: chat() }, 1_000_000)
  expect(JSON.parse(bodyOf(lane))).toMatchObject({ max_tokens: 8192 })
})

it('a translated request has a lower thinking budget with a lower cap', () => {
  const body = JSON.stringify({
    model: 'm',
    max_tokens: 32_000,
    thinking: { type: 'enabled', budget_tokens: 16_000 },
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const provider = findProvider('gemini')
  const lane = openCapped(
    { provider, format: 'messages', channelFormat: 'gemini', body, upstreamModel: 'gemini-2.5-pro' },
    8_000,
  )
  expect(JSON.parse(bodyOf(lane))['generationConfig']).toMatchObject({
    maxOutputTokens: 8_000,
    thinkingConfig: { thinkingBudget: 4_000 },
  })
})

describe('thinking without room under a lower cap', () => {
  const body = JSON.stringify({
    model: 'm',
    max_tokens: 3_000,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const asked = { format: 'messages', channelFormat: 'messages', body } as const

  it('is a loss that the caller can see', () => {
    expect(openCapped(asked, 1_000).losses).toEqual([{ feature: 'thinking-mode', kind: 'dropped' }])
  })

  it('is refused when the request is strict', () => {
    expect(() => openCapped(asked, 1_000, true)).toThrow(GatewayError)
    expect(() => openCapped(asked, 1_000, true)).toThrow(
      'leave 1000 tokens of output, too few for "thinking"',
    )
  })
})
