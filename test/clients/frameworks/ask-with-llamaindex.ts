import {
  type ChatMessage,
  type PartialToolCall,
  type ToolCall,
  type ToolCallLLM,
  type ToolCallLLMMessageOptions,
  tool,
} from 'llamaindex'
import type { FrameworkClient, FrameworkUsage, StreamWatch, ToolUse } from './framework.ts'
import type { LeavableFetch } from './leavable-fetch.ts'
import { lookUpDescription, lookUpSchema } from './report-schema.ts'

type Message = ChatMessage<ToolCallLLMMessageOptions>

interface Llamaindex {
  readonly llm: ToolCallLLM
  readonly leavable: LeavableFetch
  readUsage(raw: unknown): FrameworkUsage | undefined
}

/** LlamaIndex with a model of any of its packages. */
export function askWithLlamaindex({
  llm,
  leavable,
  readUsage,
}: Llamaindex): Omit<FrameworkClient, 'askForReport'> {
  return {
    async ask(prompt) {
      const { message, raw } = await llm.chat({ messages: [ofUser(prompt)] })
      return { text: textOf(message), usage: readUsage(raw) }
    },
    async askAboutPicture({ system, prompt, png }) {
      const picture = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${png}` } }
      const question: Message = { role: 'user', content: [{ type: 'text', text: prompt }, picture] }
      return textOf((await llm.chat({ messages: [{ role: 'system', content: system }, question] })).message)
    },
    async stream(prompt, watch) {
      leavable.leaveOn(watch.signal)
      const { text } = await readStream(llm, { messages: [ofUser(prompt)] }, watch)
      return { text, usage: undefined }
    },
    useTool: (prompt, use) => useTool(llm, prompt, use),
  }
}

export function ofUser(content: string): Message {
  return { role: 'user', content }
}

/** Calls the tool itself: `exec` strips quotes from results, and in a stream misses calls that come after words. */
async function useTool(llm: ToolCallLLM, prompt: string, { isStream, lookUp }: ToolUse): Promise<string> {
  const lookUpTool = tool({
    name: 'look_up',
    description: lookUpDescription,
    parameters: lookUpSchema,
    execute: ({ city }) => lookUp(city),
  })
  const messages = [ofUser(prompt)]
  for (let round = 0; round < 5; round += 1) {
    const asked: Asked = { messages, tools: [lookUpTool] }
    const { text, calls } = isStream ? await readStream(llm, asked) : await readWhole(llm, asked)
    if (calls.length === 0) return text
    messages.push({ role: 'assistant', content: text, options: { toolCall: [...calls] } })
    for (const { id, input } of calls) {
      const { city } = lookUpSchema.parse(typeof input === 'string' ? JSON.parse(input) : input)
      const result = lookUp(city)
      messages.push({
        role: 'user',
        content: result,
        options: { toolResult: { id, result, isError: false } },
      })
    }
  }
  throw new Error('the model never stopped calling tools')
}

type Asked = Parameters<ToolCallLLM['exec']>[0] & { stream?: never }
type Call = PartialToolCall | ToolCall

interface Answer {
  readonly text: string
  readonly calls: readonly Call[]
}

async function readWhole(llm: ToolCallLLM, asked: Asked): Promise<Answer> {
  const { message } = await llm.chat(asked)
  return { text: textOf(message), calls: callsOf(message.options) }
}

/** A call comes again and again while it grows; its last state counts. */
async function readStream(llm: ToolCallLLM, asked: Asked, watch?: StreamWatch): Promise<Answer> {
  const calls = new Map<string, Call>()
  let text = ''
  for await (const { delta, options } of await llm.chat({ ...asked, stream: true })) {
    text += delta
    watch?.onText(delta)
    for (const call of callsOf(options)) calls.set(call.id, call)
  }
  return { text, calls: [...calls.values()] }
}

function callsOf(options: ToolCallLLMMessageOptions | undefined): readonly Call[] {
  return options !== undefined && 'toolCall' in options ? options.toolCall : []
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
