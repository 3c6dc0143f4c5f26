import { GoogleGenAI } from '@google/genai'
import { type GeminiObjectUpstream, geminiKey, openGeminiObjectUpstream } from './gemini-object-upstream.ts'
import { createBatchClock, keyA, keyB, keyOfDollar, keyOfOther } from './open-batch-gateway.ts'
import { type StartedGateway, startGateway } from './start-gateway.ts'

export interface GeminiGateway extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: GeminiObjectUpstream
  clientOf(key: string): GoogleGenAI
}

/** A gateway with a channel that a strict provider of Gemini's format serves, and another that stores nothing. */
export async function openGeminiGateway({ isQuick = false } = {}): Promise<GeminiGateway> {
  const upstream = await openGeminiObjectUpstream()
  const address = `base_url: "${upstream.origin}/v1beta", allow_private: true, api_key: ${geminiKey}`
  const gateway = await startGateway(
    [
      'keys:',
      `  - { name: a, secret: ${keyA}, models: ["*"] }`,
      `  - { name: b, secret: ${keyB}, models: ["*"] }`,
      `  - { name: dollar, secret: ${keyOfDollar}, models: ["*"], budgets: [{ limit_usd: 1, window: month, mode: exact }] }`,
      `  - { name: other, secret: ${keyOfOther}, models: [m] }`,
      'channels:',
      `  - { name: c, provider: gemini, ${address}, models: { m: gemini-upstream } }`,
      `  - { name: d, provider: gemini, ${address}, priority: -1, models: { elsewhere: gemini-upstream } }`,
      'models: { m: { price: { input: 1, output: 4, cached_input: 0.1 } } }',
      'retry: { same_target: 0 }',
    ].join('\n'),
    undefined,
    { clock: createBatchClock({ isQuick }) },
  )
  return {
    gateway,
    upstream,
    clientOf: (apiKey) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}
