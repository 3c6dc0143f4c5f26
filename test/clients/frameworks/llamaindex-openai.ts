import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai'
import { z } from 'zod'
import { askWithLlamaindex, ofUser } from './ask-with-llamaindex.ts'
import type { Framework } from './framework.ts'
import { createLeavableFetch } from './leavable-fetch.ts'
import { reportSchema } from './report-schema.ts'

const framework: Framework = {
  format: 'chat',
  connect({ gatewayUrl, key, model }) {
    const options = { model, apiKey: key, baseURL: `${gatewayUrl}/v1` }
    const leavable = createLeavableFetch()
    const llm = new OpenAI({ ...options, additionalSessionOptions: { fetch: leavable.fetch } })
    const embedding = new OpenAIEmbedding(options)
    return {
      ...askWithLlamaindex({ llm, leavable, readUsage }),
      async askForReport(prompt) {
        const { message } = await llm.chat({ messages: [ofUser(prompt)], responseFormat: reportSchema })
        return JSON.parse(String(message.content))
      },
      embed: (texts) => embedding.getTextEmbeddings(texts),
    }
  },
}
export default framework

const replySchema = z.object({
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
})

function readUsage(raw: unknown) {
  const { usage } = replySchema.parse(raw)
  return { input: usage.prompt_tokens, output: usage.completion_tokens }
}
