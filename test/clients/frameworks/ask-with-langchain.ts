import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { concat } from '@langchain/core/utils/stream'
import type { FrameworkAnswer, FrameworkClient, StreamWatch, ToolUse } from './framework.ts'
import { lookUpDescription, lookUpSchema, reportSchema } from './report-schema.ts'

/** LangChain with a chat model of any of its packages. */
export function askWithLangchain(model: BaseChatModel): FrameworkClient {
  return {
    ask: async (prompt) => readMessage(await model.invoke(prompt)),
    async askAboutPicture({ system, prompt, png }) {
      const picture = { type: 'image' as const, data: png, mimeType: 'image/png' }
      const contentBlocks = [{ type: 'text' as const, text: prompt }, picture]
      return (await model.invoke([new SystemMessage(system), new HumanMessage({ contentBlocks })])).text
    },
    stream: async (prompt, watch) => readMessage(await streamWords(model, prompt, watch)),
    useTool: (prompt, use) => useTool(model, prompt, use),
    askForReport: (prompt) => model.withStructuredOutput(reportSchema).invoke(prompt),
  }
}

async function streamWords(
  model: Pick<BaseChatModel, 'stream'>,
  input: Parameters<BaseChatModel['stream']>[0],
  watch?: StreamWatch,
): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of await model.stream(input, watch && { signal: watch.signal })) {
    whole = whole === undefined ? chunk : concat(whole, chunk)
    watch?.onText(chunk.text)
  }
  if (whole === undefined) throw new Error('the stream had no chunks')
  return whole
}

async function useTool(model: BaseChatModel, prompt: string, { isStream, lookUp }: ToolUse): Promise<string> {
  const lookUpTool = tool(({ city }) => lookUp(city), {
    name: 'look_up',
    description: lookUpDescription,
    schema: lookUpSchema,
  })
  const bound = model.bindTools?.([lookUpTool])
  if (bound === undefined) throw new Error('the model takes no tools')
  const messages: BaseMessage[] = [new HumanMessage(prompt)]
  for (let round = 0; round < 5; round += 1) {
    const answer = isStream ? await streamWords(bound, messages) : await bound.invoke(messages)
    messages.push(answer)
    if (!answer.tool_calls?.length) return answer.text
    for (const call of answer.tool_calls) {
      const result: unknown = await lookUpTool.invoke({ ...call, type: 'tool_call' })
      if (!(result instanceof ToolMessage)) throw new Error('the tool gave no message')
      messages.push(result)
    }
  }
  throw new Error('the model never stopped calling tools')
}

interface Answer {
  readonly text: string
  readonly usage_metadata?: { readonly input_tokens: number; readonly output_tokens: number } | undefined
}

function readMessage({ text, usage_metadata: usage }: Answer): FrameworkAnswer {
  return { text, usage: usage && { input: usage.input_tokens, output: usage.output_tokens } }
}
