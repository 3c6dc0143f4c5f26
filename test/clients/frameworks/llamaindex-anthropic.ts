import { Anthropic, AnthropicSession } from '@llamaindex/anthropic'
import { z } from 'zod'
import { askWithLlamaindex, ofUser } from './ask-with-llamaindex.ts'
import type { Framework } from './framework.ts'
import { createLeavableFetch } from './leavable-fetch.ts'
import { reportSchema } from './report-schema.ts'

const framework: Framework = {
  format: 'messages',
  without: { embeddings: 'the library has none' },
  connect({ gatewayUrl, key, model }) {
    const leavable = createLeavableFetch()
    const session = new AnthropicSession({ baseURL: gatewayUrl, apiKey: key, fetch: leavable.fetch })
    const llm = new Anthropic({ model, session })
    return {
      ...askWithLlamaindex({ llm, leavable, readUsage }),
      async askForReport(prompt) {
        return (await llm.exec({ messages: [ofUser(prompt)], responseFormat: reportSchema })).object
      },
    }
  },
}
export default framework

const messageSchema = z.object({
  usage: z.object({
    input_tokens: z.number(),
    cache_read_input_tokens: z.number().nullish(),
    cache_creation_input_tokens: z.number().nullish(),
    output_tokens: z.number(),
  }),
})

function readUsage(raw: unknown) {
  const { usage } = messageSchema.parse(raw)
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
  return { input: usage.input_tokens + cached, output: usage.output_tokens }
}
