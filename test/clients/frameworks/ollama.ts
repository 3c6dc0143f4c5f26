import { type ChatResponse, type Message, Ollama } from 'ollama'
import { z } from 'zod'
import type { Connection, Framework, FrameworkAnswer, FrameworkClient, ToolUse } from './framework.ts'
import { lookUpDescription, lookUpSchema, reportSchema } from './report-schema.ts'

const framework: Framework = {
  format: 'ollama-chat',
  without: { 'rate limit': 'the library asks once', 'server error': 'the library asks once' },
  connect,
}
export default framework

function connect({ gatewayUrl, key, model }: Connection): FrameworkClient {
  const client = new Ollama({ host: gatewayUrl, headers: { authorization: `Bearer ${key}` } })
  const asking = (content: string) => ({ model, messages: [{ role: 'user', content }] })
  return {
    async ask(prompt) {
      return readAnswer([await client.chat(asking(prompt))])
    },
    async askAboutPicture({ system, prompt, png }) {
      const messages: Message[] = [
        { role: 'system', content: system },
        { role: 'user', content: prompt, images: [png] },
      ]
      return (await client.chat({ model, messages })).message.content
    },
    async stream(prompt, { onText, signal }) {
      const stream = await client.chat({ ...asking(prompt), stream: true })
      signal.addEventListener('abort', () => stream.abort())
      const parts: ChatResponse[] = []
      for await (const part of stream) {
        if (part.message.content !== '') onText(part.message.content)
        parts.push(part)
      }
      return readAnswer(parts)
    },
    useTool: (prompt, use) => useTool(client, { model, prompt, use }),
    async askForReport(prompt) {
      const { message } = await client.chat({ ...asking(prompt), format: z.toJSONSchema(reportSchema) })
      return JSON.parse(message.content)
    },
    async embed(input) {
      return (await client.embed({ model, input })).embeddings
    },
  }
}

interface ToolTask {
  readonly model: string
  readonly prompt: string
  readonly use: ToolUse
}

const parametersSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.object({ type: z.string() })),
  required: z.array(z.string()),
})

/** The calls of each answer, until one has none. */
async function useTool(client: Ollama, { model, prompt, use }: ToolTask): Promise<string> {
  const parameters = parametersSchema.parse(z.toJSONSchema(lookUpSchema))
  const look = { name: 'look_up', description: lookUpDescription, parameters }
  const tools = [{ type: 'function', function: look }]
  const messages: Message[] = [{ role: 'user', content: prompt }]
  for (;;) {
    const asked = { model, messages, tools }
    const parts = use.isStream
      ? await gather(await client.chat({ ...asked, stream: true }))
      : [await client.chat(asked)]
    const calls = parts.flatMap(({ message }) => message.tool_calls ?? [])
    const { text } = readAnswer(parts)
    if (calls.length === 0) return text
    messages.push({ role: 'assistant', content: text, tool_calls: calls })
    for (const { function: called } of calls) {
      const content = use.lookUp(lookUpSchema.parse(called.arguments).city)
      messages.push({ role: 'tool', content, tool_name: called.name })
    }
  }
}

async function gather(stream: AsyncIterable<ChatResponse>): Promise<readonly ChatResponse[]> {
  const parts: ChatResponse[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

function readAnswer(parts: readonly ChatResponse[]): FrameworkAnswer {
  const last = parts.at(-1)
  const usage = last && { input: last.prompt_eval_count, output: last.eval_count }
  return { text: parts.map(({ message }) => message.content).join(''), usage }
}
