import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import type { Connection, Framework, FrameworkAnswer, FrameworkClient } from './framework.ts'
import { lookUpDescription, lookUpSchema, reportSchema } from './report-schema.ts'

const framework: Framework = {
  format: 'messages',
  without: { embeddings: 'the library has none' },
  connect,
}
export default framework

function connect({ gatewayUrl, key, model }: Connection): FrameworkClient {
  const client = new Anthropic({ baseURL: gatewayUrl, apiKey: key })
  const asking = (content: string) => ({
    model,
    max_tokens: 1_000,
    messages: [{ role: 'user' as const, content }],
  })
  return {
    async ask(prompt) {
      return readMessage(await client.messages.create(asking(prompt)))
    },
    async askAboutPicture({ system, prompt, png }) {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: png }
      const content = [
        { type: 'text' as const, text: prompt },
        { type: 'image' as const, source },
      ]
      const messages = [{ role: 'user' as const, content }]
      return readMessage(await client.messages.create({ ...asking(prompt), system, messages })).text
    },
    async stream(prompt, { onText, signal }) {
      const stream = client.messages.stream(asking(prompt), { signal })
      stream.on('text', onText)
      return readMessage(await stream.finalMessage())
    },
    async useTool(prompt, { isStream, lookUp }) {
      const tool = betaZodTool({
        name: 'look_up',
        description: lookUpDescription,
        inputSchema: lookUpSchema,
        run: ({ city }) => lookUp(city),
      })
      const runner = client.beta.messages.toolRunner({ ...asking(prompt), tools: [tool], stream: isStream })
      const { content } = await runner.runUntilDone()
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    },
    async askForReport(prompt) {
      const output_config = { format: zodOutputFormat(reportSchema) }
      return (await client.messages.parse({ ...asking(prompt), output_config })).parsed_output
    },
  }
}

function readMessage({ content, usage }: Anthropic.Message): FrameworkAnswer {
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    usage: { input: usage.input_tokens + cached, output: usage.output_tokens },
  }
}
