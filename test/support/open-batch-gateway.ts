import OpenAI, { toFile } from 'openai'
import {
  type BatchUpstream,
  type BatchUpstreamKind,
  openBatchUpstream,
  upstreamKey,
} from './batch-upstream.ts'
import { type ObjectGateway, objectKeys, openObjectGateway } from './object-gateway.ts'

/** A key that may send two requests a minute. */
export const keyOfTwo = 'sk-batch-t-0123456789abcdef'

export type BatchGateway = ObjectGateway<BatchUpstream, OpenAI>

export interface BatchGatewayOptions extends BatchUpstreamKind {
  readonly isQuick?: boolean
  /** The price of the model `m`. */
  readonly price?: string
}

/** A gateway with a channel of two models that a strict provider of OpenAI's files and batches serves. */
export async function openBatchGateway({
  azureVersion,
  isQuick,
  price = '{ input: 2, output: 8, batch: { input: 1, output: 4 } }',
}: BatchGatewayOptions = {}): Promise<BatchGateway> {
  const upstream = await openBatchUpstream({ azureVersion })
  const provider =
    azureVersion === undefined
      ? `provider: openai, base_url: "${upstream.origin}/v1"`
      : `provider: azure-openai, credentials: { api_version: "${azureVersion}" }, base_url: "${upstream.origin}"`
  const lines = [
    ...objectKeys('other'),
    `  - { name: slow, secret: ${keyOfTwo}, models: ["*"], rate: { rpm: 2, burst: 2 } }`,
    `channels: [{ name: c, ${provider}, allow_private: true, api_key: ${upstreamKey}, models: { m: upstream-m, other: upstream-o } }]`,
    `models: { m: { price: ${price} }, other: { price: { input: 1, output: 1 } } }`,
    'retry: { same_target: 0 }',
  ]
  return openObjectGateway({
    upstream,
    lines,
    createClient: (url, apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }),
    isQuick,
  })
}

export interface LinePlan {
  readonly model?: string
  readonly maxTokens?: number
  readonly body?: object
  readonly url?: string
}

export function lineOf(
  index: number,
  { model = 'm', maxTokens = 10, body = {}, url }: LinePlan = {},
): string {
  return JSON.stringify({
    custom_id: `line-${index}`,
    method: 'POST',
    url: url ?? '/v1/chat/completions',
    body: { model, max_tokens: maxTokens, messages: [{ role: 'user', content: 'Hi' }], ...body },
  })
}

export function uploadLines(client: OpenAI, lines: readonly string[]) {
  return toFile(Buffer.from(`${lines.join('\n')}\n`), 'requests.jsonl').then((file) =>
    client.files.create({ file, purpose: 'batch' }),
  )
}

export async function createBatchOf(client: OpenAI, lines: readonly string[]) {
  const { id } = await uploadLines(client, lines)
  return client.batches.create({
    input_file_id: id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  })
}
