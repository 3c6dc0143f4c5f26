import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'
import { lookUpDescription, question, type StoredClient } from './stored-client.ts'

// It warns on the console that it does not know the model; nothing here depends on that.
globalThis.AI_SDK_LOG_WARNINGS = false

/** The default model object, `openai(name)`, which sends the ids of items instead of the items. */
const client: StoredClient = {
  async ask({ baseUrl, key, fetch, isStream, lookUp }) {
    const openai = createOpenAI({ baseURL: baseUrl, apiKey: key, fetch })
    const look_up = tool({
      description: lookUpDescription,
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => lookUp(city),
    })
    const call = { model: openai('m'), prompt: question, tools: { look_up }, stopWhen: isStepCount(5) }
    if (!isStream) return (await generateText({ ...call, maxRetries: 0 })).text
    const result = streamText({ ...call, maxRetries: 0, onError: () => undefined })
    let text = ''
    for await (const part of result.stream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'text-delta') text += part.text
    }
    return text
  },
}
export default client
