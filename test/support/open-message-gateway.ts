import Anthropic from '@anthropic-ai/sdk'
import { type MessageBatchUpstream, messagesKey, openMessageBatchUpstream } from './message-batch-upstream.ts'
import {
  type BatchClock,
  createBatchClock,
  keyA,
  keyB,
  keyOfDollar,
  keyOfOther,
} from './open-batch-gateway.ts'
import { type StartedGateway, startGateway } from './start-gateway.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

export interface MessageGateway extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: MessageBatchUpstream
  readonly clock: BatchClock
  clientOf(key: string): Anthropic
  /** Stops the gateway and starts it again on its data folder. */
  restart(): Promise<void>
}

/** A gateway with a channel of two models that a strict provider of the messages format serves. */
export async function openMessageGateway({ isQuick = false } = {}): Promise<MessageGateway> {
  const upstream = await openMessageBatchUpstream()
  const folder = makeTemporaryFolder()
  const clock = createBatchClock({ isQuick })
  const channel = (name: string, models: string, key: string) =>
    `  - { name: ${name}, provider: anthropic, base_url: "${upstream.origin}", allow_private: true, api_keys: [${key}], models: ${models} }`
  const text = [
    'keys:',
    `  - { name: a, secret: ${keyA}, models: ["*"] }`,
    `  - { name: b, secret: ${keyB}, models: ["*"] }`,
    `  - { name: dollar, secret: ${keyOfDollar}, models: ["*"], budgets: [{ limit_usd: 1, window: month, mode: exact }] }`,
    `  - { name: other, secret: ${keyOfOther}, models: [other] }`,
    'channels:',
    channel('c', '{ m: claude-upstream-m, other: claude-upstream-o }', messagesKey),
    'models:',
    '  m: { price: { input: 2, output: 8, cached_input: 0.2, batch: { input: 1, output: 4, cached_input: 0.1 } } }',
    '  other: { price: { input: 4, output: 16, batch: { input: 2, output: 8 } } }',
    'retry: { same_target: 0 }',
  ].join('\n')
  const start = () => startGateway(text, folder, { clock })
  const opened = {
    gateway: await start(),
    upstream,
    clock,
    clientOf: (apiKey: string) => new Anthropic({ baseURL: opened.gateway.url, apiKey, maxRetries: 0 }),
    async restart() {
      await opened.gateway[Symbol.asyncDispose]()
      opened.gateway = await start()
    },
    async [Symbol.asyncDispose]() {
      await opened.gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
  return opened
}

export function requestOf(customId: string, more: object = {}) {
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  return { custom_id: customId, params: { model: 'm', max_tokens: 10, messages, ...more } }
}
