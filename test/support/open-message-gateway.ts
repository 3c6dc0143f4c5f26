import Anthropic from '@anthropic-ai/sdk'
import { type MessageBatchUpstream, messagesKey, openMessageBatchUpstream } from './message-batch-upstream.ts'
import { type ObjectGateway, objectKeys, openObjectGateway } from './object-gateway.ts'

export type MessageGateway = ObjectGateway<MessageBatchUpstream, Anthropic>

/** A gateway with a channel of two models that a strict provider of the messages format serves. */
export async function openMessageGateway({
  isQuick = false,
  price = '{ input: 2, output: 8, cached_input: 0.2, batch: { input: 1, output: 4, cached_input: 0.1 } }',
} = {}): Promise<MessageGateway> {
  const upstream = await openMessageBatchUpstream()
  const lines = [
    ...objectKeys('other'),
    'channels:',
    `  - { name: c, provider: anthropic, base_url: "${upstream.origin}", allow_private: true, api_keys: [${messagesKey}], models: { m: claude-upstream-m, other: claude-upstream-o } }`,
    'models:',
    `  m: { price: ${price} }`,
    '  other: { price: { input: 4, output: 16, batch: { input: 2, output: 8 } } }',
    'retry: { same_target: 0 }',
  ]
  return openObjectGateway({
    upstream,
    lines,
    createClient: (baseURL, apiKey) => new Anthropic({ baseURL, apiKey, maxRetries: 0 }),
    isQuick,
  })
}

export function requestOf(customId: string, more: object = {}) {
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  return { custom_id: customId, params: { model: 'm', max_tokens: 10, messages, ...more } }
}
