import {
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai'
import { z } from 'zod'
import type { Connection, Framework, FrameworkAnswer, FrameworkClient, ToolUse } from './framework.ts'
import { lookUpDescription, lookUpSchema, reportSchema } from './report-schema.ts'

const framework: Framework = { format: 'gemini', connect }
export default framework

function connect({ gatewayUrl, key, model }: Connection): FrameworkClient {
  const client = new GoogleGenAI({
    apiKey: key,
    // Without it the library asks once.
    httpOptions: { baseUrl: gatewayUrl, retryOptions: { attempts: 3 } },
  })
  return {
    async ask(contents) {
      return readAnswer(await client.models.generateContent({ model, contents }))
    },
    async askAboutPicture({ system, prompt, png }) {
      const contents = [{ text: prompt }, { inlineData: { mimeType: 'image/png', data: png } }]
      const config = { systemInstruction: system }
      return (await client.models.generateContent({ model, contents, config })).text ?? ''
    },
    async stream(contents, { onText, signal }) {
      const config = { abortSignal: signal }
      let text = ''
      let usage: FrameworkAnswer['usage']
      for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
        const read = readAnswer(chunk)
        if (read.text !== '') onText(read.text)
        text += read.text
        usage = read.usage ?? usage
      }
      return { text, usage }
    },
    useTool: (prompt, use) => useTool(client, { model, prompt, use }),
    async askForReport(contents) {
      const config = {
        responseMimeType: 'application/json',
        responseJsonSchema: z.toJSONSchema(reportSchema),
      }
      const { text } = await client.models.generateContent({ model, contents, config })
      return JSON.parse(text ?? '')
    },
    async embed(contents) {
      const { embeddings = [] } = await client.models.embedContent({ model, contents })
      return embeddings.map(({ values = [] }) => values)
    },
  }
}

interface ToolTask {
  readonly model: string
  readonly prompt: string
  readonly use: ToolUse
}

/** The calls of each answer, until one has none. */
async function useTool(client: GoogleGenAI, { model, prompt, use }: ToolTask): Promise<string> {
  const tool = {
    name: 'look_up',
    description: lookUpDescription,
    parametersJsonSchema: z.toJSONSchema(lookUpSchema),
  }
  const config: GenerateContentConfig = { tools: [{ functionDeclarations: [tool] }] }
  const chat = client.chats.create({ model, config })
  let message: Part[] = [{ text: prompt }]
  for (;;) {
    const answers: readonly GenerateContentResponse[] = use.isStream
      ? await gather(await chat.sendMessageStream({ message }))
      : [await chat.sendMessage({ message })]
    const calls = answers.flatMap((answer) => answer.functionCalls ?? [])
    if (calls.length === 0) return answers.map((answer) => answer.text ?? '').join('')
    message = calls.map(({ id = '', name = '', args }) => {
      const output = use.lookUp(lookUpSchema.parse(args).city)
      return { functionResponse: { id, name, response: { output } } }
    })
  }
}

async function gather(
  stream: AsyncIterable<GenerateContentResponse>,
): Promise<readonly GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

function readAnswer({ text = '', usageMetadata: usage }: GenerateContentResponse): FrameworkAnswer {
  const output = (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0)
  return { text, usage: usage && { input: usage.promptTokenCount ?? 0, output } }
}
