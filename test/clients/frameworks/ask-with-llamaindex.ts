import {
  type BaseTool,
  type ChatMessage,
  type PartialToolCall,
  type ToolCall,
  type ToolCallLLM,
  type ToolCallLLMMessageOptions,
  tool,
} from 'llamaindex'
import type { FrameworkClient, FrameworkUsage, StreamWatch, ToolUse } from './framework.ts'
import { lookUpDescription, lookUpSchema } from './report-schema.ts'

type Message = ChatMessage<ToolCallLLMMessageOptions>

/** LlamaIndex with a model of any of its packages. It takes no signal: who leaves its stream ends the request. */
export function askWithLlamaindex(
  llm: ToolCallLLM,
  readUsage: (raw: unknown) => FrameworkUsage | undefined,
): Omit<FrameworkClient, 'askForReport'> {
  return {
    async ask(prompt) {
      const { message, raw } = await llm.chat({ messages: [ofUser(prompt)] })
      return { text: textOf(message), usage: readUsage(raw) }
    },
    async stream(prompt, watch) {
      const { text } = await readStream(llm, { messages: [ofUser(prompt)] }, watch)
      return { text, usage: undefined }
    },
    useTool: (prompt, use) => useTool(llm, prompt, use),
  }
}

export function ofUser(content: string): Message {
  return { role: 'user', content }
}

async function useTool(llm: ToolCallLLM, prompt: string, { isStream, lookUp }: ToolUse): Promise<string> {
  const lookUpTool = tool({
    name: 'look_up',
    description: lookUpDescription,
    parameters: lookUpSchema,
    execute: ({ city }) => lookUp(city),
  })
  const messages = [ofUser(prompt)]
  for (let round = 0; round < 5; round += 1) {
    const asked = { messages, tools: [lookUpTool] }
    const { newMessages, isDone } = isStream
      ? await streamRound(llm, asked, lookUp)
      : await wholeRound(llm, asked)
    messages.push(...newMessages)
    if (isDone) return newMessages.map(textOf).join('')
  }
  throw new Error('the model never stopped calling tools')
}

interface Asked {
  readonly messages: Message[]
  readonly tools?: BaseTool[]
}

async function wholeRound(llm: ToolCallLLM, asked: Asked) {
  const { newMessages, toolCalls } = await llm.exec(asked)
  return { newMessages, isDone: toolCalls.length === 0 }
}

/** What `exec` does; with a stream, `exec` does not see calls that come after words. */
async function streamRound(llm: ToolCallLLM, asked: Asked, lookUp: ToolUse['lookUp']) {
  const { text, calls } = await readStream(llm, asked)
  const newMessages: Message[] = [
    { role: 'assistant', content: text, options: calls.length === 0 ? {} : { toolCall: calls } },
  ]
  for (const { id, input } of calls) {
    const { city } = lookUpSchema.parse(typeof input === 'string' ? JSON.parse(input) : input)
    const result = lookUp(city)
    newMessages.push({
      role: 'user',
      content: result,
      options: { toolResult: { id, result, isError: false } },
    })
  }
  return { newMessages, isDone: calls.length === 0 }
}

async function readStream(llm: ToolCallLLM, asked: Asked, watch?: StreamWatch) {
  const calls = new Map<string, PartialToolCall | ToolCall>()
  let text = ''
  for await (const { delta, options } of await llm.chat({ ...asked, stream: true })) {
    text += delta
    watch?.onText(delta)
    if (watch?.signal.aborted) break
    const called = options !== undefined && 'toolCall' in options ? options.toolCall : []
    for (const call of called) calls.set(call.id, call)
  }
  return { text, calls: [...calls.values()] }
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
