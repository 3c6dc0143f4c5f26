import {
  type EmbeddingModel,
  embedMany,
  generateText,
  isStepCount,
  type LanguageModel,
  Output,
  streamText,
  tool,
} from 'ai'
import type { FrameworkClient, FrameworkUsage, StreamWatch, ToolUse } from './framework.ts'
import { lookUpDescription, lookUpSchema, reportSchema } from './report-schema.ts'

// It warns on the console that it does not know the model; nothing here depends on that.
globalThis.AI_SDK_LOG_WARNINGS = false

/** The AI SDK with a model of any of its providers. */
export function askWithAiSdk(model: LanguageModel, embeddingModel?: EmbeddingModel): FrameworkClient {
  return {
    async ask(prompt) {
      const { text, usage } = await generateText({ model, prompt })
      return { text, usage: readUsage(usage) }
    },
    async askAboutPicture({ system, prompt, png }) {
      const picture = { type: 'file' as const, data: png, mediaType: 'image/png' }
      const content = [{ type: 'text' as const, text: prompt }, picture]
      return (await generateText({ model, instructions: system, messages: [{ role: 'user', content }] })).text
    },
    stream: (prompt, watch) => streamWords(model, prompt, watch),
    useTool: (prompt, use) => useTool(model, prompt, use),
    async askForReport(prompt) {
      const output = Output.object({ schema: reportSchema })
      return (await generateText({ model, prompt, output })).output
    },
    ...(embeddingModel && {
      embed: async (values: string[]) => (await embedMany({ model: embeddingModel, values })).embeddings,
    }),
  }
}

async function streamWords(model: LanguageModel, prompt: string, { onText, signal }: StreamWatch) {
  const result = streamText({ model, prompt, abortSignal: signal, onError: () => undefined })
  let text = ''
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw new Error('aborted')
    if (part.type !== 'text-delta') continue
    text += part.text
    onText(part.text)
  }
  return { text, usage: readUsage(await result.totalUsage) }
}

async function useTool(model: LanguageModel, prompt: string, { isStream, lookUp }: ToolUse): Promise<string> {
  const look_up = tool({
    description: lookUpDescription,
    inputSchema: lookUpSchema,
    execute: ({ city }) => lookUp(city),
  })
  const call = { model, prompt, tools: { look_up }, stopWhen: isStepCount(5) }
  return isStream ? streamText(call).text : (await generateText(call)).text
}

function readUsage({
  inputTokens,
  outputTokens,
}: {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
}): FrameworkUsage {
  return { input: inputTokens ?? 0, output: outputTokens ?? 0 }
}
