import OpenAI from 'openai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import type { Connection, Framework, FrameworkClient, FrameworkUsage } from './framework.ts'
import { lookUpDescription, lookUpSchema, reportSchema } from './report-schema.ts'

const framework: Framework = { format: 'chat', connect }
export default framework

function connect({ gatewayUrl, key, model }: Connection): FrameworkClient {
  const client = new OpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: key })
  const asking = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] })
  return {
    async ask(prompt) {
      const reply = await client.chat.completions.create(asking(prompt))
      return { text: reply.choices[0]?.message.content ?? '', usage: readUsage(reply.usage) }
    },
    async askAboutPicture({ system, prompt, png }) {
      const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${png}` } }
      const reply = await client.chat.completions.create({
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: [{ type: 'text', text: prompt }, image] },
        ],
      })
      return reply.choices[0]?.message.content ?? ''
    },
    async stream(prompt, { onText, signal }) {
      const body = { ...asking(prompt), stream_options: { include_usage: true } }
      const stream = client.chat.completions.stream(body, { signal })
      stream.on('content', onText)
      const reply = await stream.finalChatCompletion()
      return { text: reply.choices[0]?.message.content ?? '', usage: readUsage(reply.usage) }
    },
    async useTool(prompt, { isStream, lookUp }) {
      const tool = zodFunction({
        name: 'look_up',
        description: lookUpDescription,
        parameters: lookUpSchema,
        function: ({ city }) => lookUp(city),
      })
      const body = { ...asking(prompt), tools: [tool] }
      const runner = isStream
        ? client.chat.completions.runTools({ ...body, stream: true })
        : client.chat.completions.runTools(body)
      return (await runner.finalContent()) ?? ''
    },
    async askForReport(prompt) {
      const reply = await client.chat.completions.parse({
        ...asking(prompt),
        response_format: zodResponseFormat(reportSchema, 'report'),
      })
      return reply.choices[0]?.message.parsed
    },
    async embed(input) {
      const { data } = await client.embeddings.create({ model, input })
      return data.map(({ embedding }) => embedding)
    },
  }
}

function readUsage(usage: OpenAI.CompletionUsage | null | undefined): FrameworkUsage | undefined {
  return usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : undefined
}
