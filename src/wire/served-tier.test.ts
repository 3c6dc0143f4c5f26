import { describe, expect, it } from 'vitest'
import type { LossFeature } from '../canonical/loss.ts'
import type { Reply } from '../canonical/reply.ts'
import { unfoldReply } from '../canonical/unfold-reply.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import { createSseParser } from '../kit/sse/sse-parser.ts'
import { chatFormat } from './chat/format.ts'
import { converseFormat } from './converse/format.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'
import type { ChannelFormat, WireFormat } from './wire-format.ts'

const formats = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
} as const satisfies Record<string, WireFormat>

const channels = { ...formats, converse: converseFormat } as const satisfies Record<string, ChannelFormat>

/** An answer that says "Hi", in each channel's own words, served at this tier. */
const answers: Readonly<Record<keyof typeof channels, (tier: string) => JsonObject>> = {
  chat: (service_tier) => ({
    id: 'i',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    service_tier,
  }),
  messages: (service_tier) => ({
    id: 'i',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1, service_tier },
  }),
  responses: (service_tier) => ({
    id: 'i',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
    service_tier,
  }),
  gemini: (serviceTier) => ({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2, serviceTier },
    modelVersion: 'm',
    responseId: 'i',
  }),
  converse: (type) => ({
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    stopReason: 'end_turn',
    serviceTier: { type },
  }),
}

function readTold(channel: keyof typeof channels, tier: string): Reply {
  const reply = channels[channel].readReply(answers[channel](tier))
  if ('code' in reply) throw new Error(reply.message)
  return reply
}

/** Every tier anywhere in these values; `null` means none. */
function tiersIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    ['service_tier', 'serviceTier'].includes(name) && inner !== null ? [String(inner)] : tiersIn(inner),
  )
}

function tierLosses(losses: readonly { readonly feature: LossFeature; readonly kind: string }[]) {
  return losses.flatMap(({ feature, kind }) => (feature === 'service-tier' ? [kind] : []))
}

/** The tier in a whole answer for the caller, or how it was lost. */
function whole(caller: keyof typeof formats, reply: Reply): readonly string[] {
  const { value, losses } = formats[caller].writeReply(reply)
  return [...tiersIn(JSON.parse(JSON.stringify(value))), ...tierLosses(losses)]
}

/** The same of a stream, each word once. */
function streamed(caller: keyof typeof formats, reply: Reply): readonly string[] {
  const writer = formats[caller].createStreamWriter({ streamUsage: true, requestId: 'r' })
  const text = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  const frames = createSseParser().push(Buffer.from(text))
  const told = frames.flatMap(({ data = '' }) => (data === '[DONE]' ? [] : tiersIn(JSON.parse(data))))
  return [...new Set(told), ...tierLosses(writer.losses)]
}

describe('the tier at which an answer was served', () => {
  it.each<[keyof typeof channels, string, keyof typeof formats, string]>([
    ['messages', 'standard', 'chat', 'default'],
    ['messages', 'standard', 'responses', 'default'],
    ['messages', 'standard', 'gemini', 'standard'],
    ['messages', 'priority', 'chat', 'priority'],
    ['messages', 'batch', 'chat', 'dropped'],
    ['chat', 'default', 'messages', 'standard'],
    ['chat', 'default', 'responses', 'default'],
    ['chat', 'default', 'gemini', 'standard'],
    ['chat', 'priority', 'messages', 'priority'],
    ['chat', 'flex', 'gemini', 'flex'],
    ['chat', 'flex', 'messages', 'dropped'],
    ['chat', 'scale', 'responses', 'scale'],
    ['chat', 'auto', 'messages', 'dropped'],
    ['chat', 'on_demand', 'responses', 'dropped'],
    ['responses', 'default', 'messages', 'standard'],
    ['responses', 'default', 'chat', 'default'],
    ['gemini', 'standard', 'chat', 'default'],
    ['gemini', 'standard', 'messages', 'standard'],
    ['converse', 'default', 'messages', 'standard'],
    ['converse', 'default', 'chat', 'default'],
    ['converse', 'reserved', 'chat', 'dropped'],
  ])('from a %s channel with %s reaches a %s caller: %s', (channel, tier, caller, expected) => {
    const reply = readTold(channel, tier)
    expect(whole(caller, reply)).toEqual([expected])
    expect(streamed(caller, reply)).toEqual([expected])
  })

  it.each<[keyof typeof formats, string]>([
    ['chat', 'standard'],
    ['chat', 'on_demand'],
    ['messages', 'batch'],
    ['responses', 'ultrafast'],
    ['gemini', 'unspecified'],
  ])('is unchanged for a %s caller of a channel of the same format: %s', (format, tier) => {
    const reply = readTold(format, tier)
    expect(whole(format, reply)).toEqual([tier])
    expect(streamed(format, reply)).toEqual([tier])
  })

  it('is declared lost when only the end names it and the caller’s stream has no chunk left for it', () => {
    const writer = chatFormat.createStreamWriter({ streamUsage: false, requestId: 'r' })
    writer.push({ type: 'reply-start', id: 'i', model: 'm', serviceTier: 'auto' })
    writer.push({ type: 'choice-end', choice: 0, stopReason: 'end' })
    writer.push({ type: 'reply-end', serviceTier: 'standard' })
    expect(writer.losses).toEqual([{ feature: 'service-tier', kind: 'dropped' }])
  })

  it('is no loss when the end repeats the tier of the start', () => {
    const writer = chatFormat.createStreamWriter({ streamUsage: false, requestId: 'r' })
    writer.push({ type: 'reply-start', id: 'i', model: 'm', serviceTier: 'standard' })
    writer.push({ type: 'reply-end', serviceTier: 'standard' })
    expect(writer.losses).toEqual([])
  })
})
