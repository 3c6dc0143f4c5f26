import OpenAI, { toFile } from 'openai'
import { type Clock, systemClock } from '../../src/kit/time/clock.ts'
import {
  type BatchUpstream,
  type BatchUpstreamKind,
  openBatchUpstream,
  upstreamKey,
} from './batch-upstream.ts'
import { type StartedGateway, startGateway } from './start-gateway.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

export const keyA = 'sk-batch-a-0123456789abcdef'
export const keyB = 'sk-batch-b-0123456789abcdef'
/** A key with an exact budget of a dollar. */
export const keyOfDollar = 'sk-batch-d-0123456789abcdef'
/** A key that may use another model alone. */
export const keyOfOther = 'sk-batch-o-0123456789abcdef'

/** A key that may send two requests a minute. */
export const keyOfTwo = 'sk-batch-t-0123456789abcdef'

/** A clock that a test puts forward; the look at batches happens when the test says so. */
export interface BatchClock extends Clock {
  advance(byMs: number): void
  look(): void
}

const TICK_MS = 15_000

/** The times after which a call for an object is given up. */
const callTimeouts: ReadonlySet<number> = new Set([60_000, 3_600_000])
const QUICK_TIMEOUT_MS = 150

/** `isQuick` gives calls up at once. */
export function createBatchClock({ isQuick = false } = {}): BatchClock {
  let aheadMs = 0
  let look: () => void = () => undefined
  return {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    startTimer(delayMs, fire) {
      const isCall = isQuick && callTimeouts.has(delayMs)
      if (delayMs !== TICK_MS) return systemClock.startTimer(isCall ? QUICK_TIMEOUT_MS : delayMs, fire)
      look = fire
      return { cancel: () => undefined, restart: () => undefined }
    },
    advance(byMs) {
      aheadMs += byMs
    },
    look: () => look(),
  }
}

export interface BatchGateway extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: BatchUpstream
  readonly clock: BatchClock
  clientOf(key: string): OpenAI
  /** Stops the gateway and starts it again on its data folder. */
  restart(): Promise<void>
}

export interface BatchGatewayOptions extends BatchUpstreamKind {
  readonly isQuick?: boolean
}

export async function openBatchGateway({
  azureVersion,
  isQuick,
}: BatchGatewayOptions = {}): Promise<BatchGateway> {
  const upstream = await openBatchUpstream({ azureVersion })
  const folder = makeTemporaryFolder()
  const clock = createBatchClock({ isQuick })
  const provider =
    azureVersion === undefined
      ? `provider: openai, base_url: "${upstream.origin}/v1"`
      : `provider: azure-openai, credentials: { api_version: "${azureVersion}" }, base_url: "${upstream.origin}"`
  const text = [
    'keys:',
    `  - { name: a, secret: ${keyA}, models: ["*"] }`,
    `  - { name: b, secret: ${keyB}, models: ["*"] }`,
    `  - { name: dollar, secret: ${keyOfDollar}, models: ["*"], budgets: [{ limit_usd: 1, window: month, mode: exact }] }`,
    `  - { name: other, secret: ${keyOfOther}, models: [other] }`,
    `  - { name: slow, secret: ${keyOfTwo}, models: ["*"], rate: { rpm: 2, burst: 2 } }`,
    `channels: [{ name: c, ${provider}, allow_private: true, api_key: ${upstreamKey}, models: { m: upstream-m, other: upstream-o } }]`,
    'models: { m: { price: { input: 2, output: 8, batch: { input: 1, output: 4 } } }, other: { price: { input: 1, output: 1 } } }',
    'retry: { same_target: 0 }',
  ].join('\n')
  const start = () => startGateway(text, folder, { clock })
  const opened = {
    gateway: await start(),
    upstream,
    clock,
    clientOf: (apiKey: string) => new OpenAI({ baseURL: `${opened.gateway.url}/v1`, apiKey, maxRetries: 0 }),
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
