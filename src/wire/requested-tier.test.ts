import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../canonical/request.ts'
import { chatFormat } from './chat/format.ts'
import { converseFormat } from './converse/format.ts'
import { defaultDialect } from './dialect.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'
import type { ChannelFormat } from './wire-format.ts'

const channels = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
  converse: converseFormat,
} as const satisfies Record<string, ChannelFormat>

/** The tier that a channel is asked for, and how that was declared. */
function ask(channel: keyof typeof channels, serviceTier: string) {
  const content = [{ type: 'text', text: 'Hi' }] as const
  const turns = [{ role: 'user', content }] as const
  const request: ChatRequest = { model: 'm', turns, stream: false, serviceTier }
  const { value, losses } = channels[channel].writeRequest(request, { model: 'm', dialect: defaultDialect })
  const declared = losses.find(({ feature }) => feature === 'service-tier')?.kind
  return { tier: value['service_tier'] ?? value['serviceTier'], declared }
}

describe('the default tier', () => {
  it.each<[string, keyof typeof channels, unknown]>([
    ['standard', 'chat', 'default'],
    ['standard_only', 'chat', 'default'],
    ['standard', 'responses', 'default'],
    ['standard', 'messages', 'standard_only'],
    ['default', 'messages', 'standard_only'],
    ['standard', 'converse', { type: 'default' }],
  ])('requested as %s is sent to a %s channel as %j, declared', (word, channel, tier) => {
    expect(ask(channel, word)).toEqual({ tier, declared: 'approximated' })
  })

  it.each<[keyof typeof channels, string, unknown]>([
    ['chat', 'default', 'default'],
    ['responses', 'default', 'default'],
    ['messages', 'standard_only', 'standard_only'],
    ['gemini', 'standard', 'standard'],
    ['converse', 'default', { type: 'default' }],
  ])('is sent unchanged to a %s channel that uses the same name, %s', (channel, word, tier) => {
    expect(ask(channel, word)).toEqual({ tier, declared: undefined })
  })
})
