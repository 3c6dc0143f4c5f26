import { GoogleGenAI } from '@google/genai'
import { type GeminiObjectUpstream, geminiKey, openGeminiObjectUpstream } from './gemini-object-upstream.ts'
import { type ObjectGateway, objectKeys, openObjectGateway } from './object-gateway.ts'

export type GeminiGateway = ObjectGateway<GeminiObjectUpstream, GoogleGenAI>

/** A gateway with a channel that a strict provider of Gemini's format serves, and another that stores nothing. */
export async function openGeminiGateway({
  isQuick = false,
  price = '{ input: 1, output: 4, cached_input: 0.1 }',
} = {}): Promise<GeminiGateway> {
  const upstream = await openGeminiObjectUpstream()
  const address = `base_url: "${upstream.origin}/v1beta", allow_private: true, api_key: ${geminiKey}`
  const lines = [
    ...objectKeys('m'),
    'channels:',
    `  - { name: c, provider: gemini, ${address}, models: { m: gemini-upstream } }`,
    `  - { name: d, provider: gemini, ${address}, priority: -1, models: { elsewhere: gemini-upstream } }`,
    `models: { m: { price: ${price} } }`,
    'retry: { same_target: 0 }',
  ]
  return openObjectGateway({
    upstream,
    lines,
    createClient: (baseUrl, apiKey) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }),
    isQuick,
  })
}
