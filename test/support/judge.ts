import { gatherChatChunk, gatherChatReply } from './judge-chat.ts'
import { gatherCohereEvent, gatherCohereReply } from './judge-cohere.ts'
import { gatherConverseEvent, gatherConverseReply } from './judge-converse.ts'
import { gatherGeminiChunk, gatherGeminiReply } from './judge-gemini.ts'
import { gatherMessage, gatherMessagesEvent } from './judge-messages.ts'
import { gatherOllamaLine } from './judge-ollama.ts'
import { gatherResponse, gatherResponsesEvent } from './judge-responses.ts'
import { createGathered, type Gathered, type Judged, type JudgedCall, type JudgedStop } from './judged.ts'

export interface RawAnswer {
  readonly format: 'chat' | 'messages' | 'responses' | 'cohere' | 'gemini' | 'converse' | 'ollama'
  /** The body, or the text of the whole stream. */
  readonly body: string
  readonly isStream: boolean
}

const wholeGatherers = {
  chat: gatherChatReply,
  messages: gatherMessage,
  responses: gatherResponse,
  cohere: gatherCohereReply,
  gemini: gatherGeminiReply,
  converse: gatherConverseReply,
  ollama: gatherOllamaLine,
}
const eventGatherers = {
  chat: gatherChatChunk,
  messages: gatherMessagesEvent,
  responses: gatherResponsesEvent,
  cohere: gatherCohereEvent,
  gemini: gatherGeminiChunk,
  converse: gatherConverseEvent,
  ollama: gatherOllamaLine,
}

const stops: Readonly<Record<string, JudgedStop>> = {
  stop: 'end',
  end_turn: 'end',
  stop_sequence: 'end',
  length: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  tool_use: 'tool-calls',
  content_filter: 'refused',
  refusal: 'refused',
  pause_turn: 'pause',
}

/**
 * Reads what an answer says out of its raw bytes, to compare answers of different formats. Neither this nor what it
 * imports knows the product's own readers, on purpose: an error there must not hide itself here. Throws on a body or a
 * frame that is not JSON.
 */
export function readAnswer({ format, body, isStream }: RawAnswer): Judged {
  const gathered = createGathered()
  if (isStream) {
    const pieces = format === 'ollama' ? linesOf(body) : dataOf(body)
    for (const data of pieces) gatherFrame(gathered, format, data)
  } else {
    gathered.isTerminated = true
    wholeGatherers[format](gathered, JSON.parse(body))
  }
  const toolCalls = gathered.calls.map(readCall)
  const { text, thinking, refusal, usage, error, isTerminated } = gathered
  return { text, thinking, refusal, toolCalls, stopReason: readStop(gathered), usage, error, isTerminated }
}

function gatherFrame(gathered: Gathered, format: RawAnswer['format'], data: string): void {
  if (data.trim() === '[DONE]') gathered.isTerminated = true
  else eventGatherers[format](gathered, JSON.parse(data))
}

/** Lines of JSON; white space before one keeps a connection alive. */
function linesOf(stream: string): readonly string[] {
  return stream.split('\n').filter((line) => line.trim() !== '')
}

/** The data of each event of a `text/event-stream`. */
function dataOf(stream: string): readonly string[] {
  const events = stream
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n\n')
  return events.flatMap((event) => {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'))
    const data = lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
    return data.trim() === '' ? [] : [data]
  })
}

function readCall({ name, input }: { readonly name: string; readonly input: string }): JudgedCall {
  if (input.trim() === '') return { name, arguments: {} }
  try {
    return { name, arguments: JSON.parse(input) }
  } catch {
    return { name, arguments: input }
  }
}

function readStop({ stop, calls }: Gathered): JudgedStop | undefined {
  if (stop === undefined) return undefined
  const known = stops[stop.toLowerCase()] ?? `other: ${stop}`
  return known === 'end' && calls.length > 0 ? 'tool-calls' : known
}
