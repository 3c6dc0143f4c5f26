import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { BodyFormatId } from './body-formats.ts'
import { readAnswer } from './judge.ts'
import { fieldsOf, type Judged, textOf } from './judged.ts'
import { testKey } from './start-gateway.ts'

/** Asks as the official client of a format does, and gives what it understood. */
export type Ask = (model: string, isStream: boolean) => Promise<Judged>

/** The official client of each format, in front of the gateway at this address. */
export function askWithClients(url: string): Readonly<Record<BodyFormatId, Ask>> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: url, apiKey: testKey, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const judge = (format: BodyFormatId, answer: object) =>
    readAnswer({ format, body: JSON.stringify(answer), isStream: false })
  return {
    async chat(model, isStream) {
      if (!isStream) return judge('chat', await openai.chat.completions.create({ model, messages }))
      const stream = openai.chat.completions.stream({
        model,
        messages,
        stream_options: { include_usage: true },
      })
      // The client gathers no fields that its own types lack.
      let thinking = ''
      stream.on('chunk', ({ choices }) => {
        thinking += textOf(fieldsOf(choices[0]?.delta)['reasoning_content'])
      })
      return { ...judge('chat', await stream.finalChatCompletion()), thinking }
    },
    async messages(model, isStream) {
      const body = { model, messages, max_tokens: 64 }
      const answer = isStream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body)
      return judge('messages', answer)
    },
    async responses(model, isStream) {
      if (!isStream) return judge('responses', await openai.responses.create({ model, input: 'Hi' }))
      return judge('responses', await openai.responses.stream({ model, input: 'Hi' }).finalResponse())
    },
  }
}
