import OpenAI from 'openai'
import { fieldsOf, listOf, textOrNothing, wordOf } from '../second-reader/meaning.ts'
import { testKey } from '../start-gateway.ts'
import type { Agent, AgentAnswer, AgentTerms } from './agent.ts'
import { imageData, toolNames } from './plan-conversation.ts'

type Message = OpenAI.ChatCompletionMessageParam
type Detail = Readonly<Record<string, unknown>>
type Details = readonly Detail[]

const tools: OpenAI.ChatCompletionTool[] = toolNames.map((name) => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}))

export interface ChatMemory {
  /**
   * `whole`: `reasoning_details` and `reasoning_content` go back unchanged, as opencode sends them. `words`: text and
   * calls alone, as pi, Qwen Code, Cline and Continue send.
   */
  readonly memory: 'whole' | 'words'
}

/** The official client of the chat format. */
export function createChatAgent({ url, chooseModel, chooseStream, memory }: AgentTerms & ChatMemory): Agent {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 0 })
  const messages: Message[] = [{ role: 'system', content: 'Work with care.' }]
  return {
    hear({ text, hasImage }) {
      messages.push({ role: 'user', content: hasImage ? [{ type: 'text', text }, image] : text })
    },
    async ask() {
      const body = { model: chooseModel(), messages, tools, reasoning_effort: 'low' as const }
      const { said, details, words, losses } = chooseStream()
        ? await askStreamed(client, body)
        : await askWhole(client, body)
      const proved = details.length === 0 ? {} : { reasoning_details: details }
      const more = words === undefined ? proved : { ...proved, reasoning_content: words }
      messages.push(memory === 'whole' ? { ...said, ...more } : said)
      return { ...emitAnswer(said), losses }
    },
    take(results) {
      for (const { callId, text, isError } of results) {
        messages.push({ role: 'tool', tool_call_id: callId, content: isError ? `Error: ${text}` : text })
      }
      // The format takes pictures from the user alone.
      const images = results.filter(({ hasImage }) => hasImage).map(() => image)
      if (images.length > 0) messages.push({ role: 'user', content: images })
    },
  }
}

const image = {
  type: 'image_url' as const,
  image_url: { url: `data:image/png;base64,${imageData}` },
}

interface Stored {
  readonly said: OpenAI.ChatCompletionAssistantMessageParam
  readonly details: Details
  /** `reasoning_content`, where the answer had one. */
  readonly words: string | undefined
  readonly losses: string
}

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>

async function askWhole(client: OpenAI, body: Body): Promise<Stored> {
  const { data, response } = await client.chat.completions.create(body).withResponse()
  const message = data.choices[0]?.message
  const calls = message?.tool_calls
  return {
    said: {
      role: 'assistant',
      content: message?.content ?? null,
      ...(calls === undefined ? {} : { tool_calls: calls }),
    },
    details: detailsOf(message),
    words: textOrNothing(fieldsOf(message)['reasoning_content']),
    losses: response.headers.get('x-headgate-loss') ?? '',
  }
}

async function askStreamed(client: OpenAI, body: Body): Promise<Stored> {
  const streamed = { ...body, stream: true as const, stream_options: { include_usage: true } }
  const { data, response } = await client.chat.completions.create(streamed).withResponse()
  const calls: FunctionCall[] = []
  const details: Detail[] = []
  let content = ''
  let words: string | undefined
  for await (const { choices } of data) {
    const delta = choices[0]?.delta
    content += delta?.content ?? ''
    const piece = textOrNothing(fieldsOf(delta)['reasoning_content'])
    if (piece !== undefined) words = (words ?? '') + piece
    for (const detail of detailsOf(delta)) addDetail(details, detail)
    for (const piece of delta?.tool_calls ?? []) addCall(calls, piece)
  }
  return {
    said: {
      role: 'assistant',
      content: content === '' ? null : content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    details,
    words,
    losses: response.headers.get('x-headgate-loss') ?? '',
  }
}

type FunctionCall = OpenAI.ChatCompletionMessageFunctionToolCall

function addCall(calls: FunctionCall[], piece: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const { index, id, function: said } = piece
  const before = calls[index] ?? { id: '', type: 'function', function: { name: '', arguments: '' } }
  const { name, arguments: input } = before.function
  const added = { name: said?.name ?? name, arguments: input + (said?.arguments ?? '') }
  calls[index] = { id: id ?? before.id, type: 'function', function: added }
}

/** Pieces of one text are one entry, as OpenRouter's own client joins them. */
function addDetail(details: Detail[], detail: Detail): void {
  const last = details.at(-1)
  const goesOn = last?.['index'] !== undefined && last['index'] === detail['index']
  if (!goesOn || last['type'] !== 'reasoning.text' || last['signature'] !== undefined) details.push(detail)
  else
    details[details.length - 1] = { ...last, ...detail, text: wordOf(last['text']) + wordOf(detail['text']) }
}

function detailsOf(holder: unknown): Details {
  return listOf(fieldsOf(holder)['reasoning_details']).map(fieldsOf)
}

function emitAnswer({ content, tool_calls: calls = [] }: Stored['said']): Omit<AgentAnswer, 'losses'> {
  return {
    text: wordOf(content),
    calls: calls.flatMap((call) =>
      call.type === 'function'
        ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }]
        : [],
    ),
  }
}
