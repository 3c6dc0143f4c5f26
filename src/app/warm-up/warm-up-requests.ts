// The requests of the warm-up, in each format.
import type { FormatId } from '../../canonical/format.ts'
import type { WarmUpLane } from './warm-up-protocol.ts'

export interface WarmUpRequest {
  readonly path: string
  readonly body: string
}

/** Words and code, similar to requests of agents. */
const WORDS = 'Read the file: const [first, ...rest] = names.map((name) => ({ name, "at": 1 }))\n'.repeat(12)

/** The public model name of the channel for a format. */
export function warmUpModel(format: FormatId): string {
  return `warm-up-${format}`
}

/** Creates a request of about a kilobyte. */
export function writeWarmUpRequest({ caller, channel, isStream }: WarmUpLane): WarmUpRequest {
  const model = warmUpModel(channel)
  switch (caller) {
    case 'chat': {
      const messages = [
        { role: 'system', content: WORDS },
        { role: 'user', content: WORDS },
      ]
      const body = { model, messages, temperature: 0.2, max_tokens: 256, stream: isStream }
      return { path: '/v1/chat/completions', body: JSON.stringify(body) }
    }
    case 'messages': {
      const messages = [{ role: 'user', content: WORDS }]
      const body = { model, max_tokens: 256, system: WORDS, messages, stream: isStream }
      return { path: '/v1/messages', body: JSON.stringify(body) }
    }
    case 'responses': {
      const input = [{ role: 'user', content: WORDS }]
      const body = {
        model,
        instructions: WORDS,
        input,
        max_output_tokens: 256,
        store: false,
        stream: isStream,
      }
      return { path: '/v1/responses', body: JSON.stringify(body) }
    }
    case 'gemini': {
      const method = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const body = {
        systemInstruction: { parts: [{ text: WORDS }] },
        contents: [{ role: 'user', parts: [{ text: WORDS }] }],
        generationConfig: { maxOutputTokens: 256 },
      }
      return { path: `/v1beta/models/${model}:${method}`, body: JSON.stringify(body) }
    }
  }
}
