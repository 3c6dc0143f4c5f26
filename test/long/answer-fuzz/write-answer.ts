import type { ChannelFormatId } from '../../../src/canonical/format.ts'
import type { Chance } from '../create-chance.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type JsonFields = { [name: string]: Json }

/** One event of a stream, or a whole answer. */
export interface AnswerEvent {
  readonly type: string
  data: Json
  /** The blocks that it tells of, by number. */
  readonly blocks: readonly number[]
}

/** A text, or a call. Each word stands once in the answer. */
export interface AnswerBlock {
  readonly type: 'text' | 'call'
  readonly words: readonly string[]
}

export interface FuzzAnswer {
  readonly format: ChannelFormatId
  readonly isStream: boolean
  readonly blocks: readonly AnswerBlock[]
  readonly events: AnswerEvent[]
}

/** A good answer: a text, then some calls. */
export function writeAnswer(format: ChannelFormatId, isStream: boolean, chance: Chance): FuzzAnswer {
  let next = 0
  const word = () => {
    next += 1
    return `<${next}>`
  }
  const words = (count: number) => Array.from({ length: count }, word)
  const text: AnswerBlock = { type: 'text', words: words(1 + chance.upTo(4)) }
  const calls = Array.from(
    { length: chance.upTo(4) },
    (): AnswerBlock => ({ type: 'call', words: words(1 + chance.upTo(2)) }),
  )
  const blocks = [text, ...calls]
  const write = isStream ? streams[format] : wholes[format]
  // Copies, since what is spoilt must not be shared with another event or answer.
  const events = write(blocks).map((written) => ({ ...written, data: copyOf(written.data) }))
  return { format, isStream, blocks, events }
}

export function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  const copy: JsonFields = {}
  for (const name of Object.keys(value)) copy[name] = copyOf(value[name] ?? null)
  return copy
}

type Write = (blocks: readonly AnswerBlock[]) => AnswerEvent[]

const event = (type: string, data: Json, blocks: readonly number[] = []): AnswerEvent => ({
  type,
  data,
  blocks,
})
const all = (blocks: readonly AnswerBlock[]) => blocks.map((_block, index) => index)
const textOf = ({ words }: AnswerBlock) => words.join('')
const inputOf = ({ words }: AnswerBlock) => JSON.stringify({ a: words.join('') })
const inputObject = ({ words }: AnswerBlock): JsonFields => ({ a: words.join('') })
/** The input in pieces, cut anywhere. */
const inputPieces = (block: AnswerBlock) => inputOf(block).match(/.{1,5}/gs) ?? []
const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }
const isCalling = (blocks: readonly AnswerBlock[]) => blocks.length > 1

function chatChunk(delta: JsonFields, blocks: readonly number[], finish: string | null = null): AnswerEvent {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return event('', { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'up', choices }, blocks)
}

function chatCall(block: AnswerBlock, index: number): JsonFields {
  return { id: `call_${index}`, type: 'function', function: { name: `f${index}`, arguments: inputOf(block) } }
}

function responsesItem(block: AnswerBlock, index: number): JsonFields {
  if (block.type === 'call') {
    const names = { id: `fc_${index}`, call_id: `call_${index}`, name: `f${index}` }
    return { type: 'function_call', ...names, arguments: inputOf(block), status: 'completed' }
  }
  const content = [{ type: 'output_text', text: textOf(block), annotations: [] }]
  return { type: 'message', id: `msg_${index}`, role: 'assistant', status: 'completed', content }
}

function response(blocks: readonly AnswerBlock[], status: string): JsonFields {
  const output = blocks.map(responsesItem)
  const counts = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }
  return { id: 'r', object: 'response', created_at: 1, status, model: 'up', output, usage: counts }
}

function responsesEvents(block: AnswerBlock, index: number): AnswerEvent[] {
  const item = responsesItem(block, index)
  const position = { output_index: index, item_id: item['id'] ?? '' }
  const emit = (type: string, data: JsonFields) => event(type, { type, ...data }, [index])
  const done = emit('response.output_item.done', { output_index: index, item })
  if (block.type === 'call') {
    const empty = { ...item, arguments: '', status: 'in_progress' }
    return [
      emit('response.output_item.added', { output_index: index, item: empty }),
      ...inputPieces(block).map((delta) =>
        emit('response.function_call_arguments.delta', { ...position, delta }),
      ),
      emit('response.function_call_arguments.done', { ...position, arguments: inputOf(block) }),
      done,
    ]
  }
  const part = { ...position, content_index: 0 }
  return [
    emit('response.output_item.added', { output_index: index, item: { ...item, content: [] } }),
    emit('response.content_part.added', {
      ...part,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
    ...block.words.map((delta) => emit('response.output_text.delta', { ...part, delta })),
    emit('response.output_text.done', { ...part, text: textOf(block) }),
    done,
  ]
}

function messagesBlock(block: AnswerBlock, index: number): JsonFields {
  return block.type === 'text'
    ? { type: 'text', text: textOf(block) }
    : { type: 'tool_use', id: `toolu_${index}`, name: `f${index}`, input: inputObject(block) }
}

function messagesEvents(block: AnswerBlock, index: number): AnswerEvent[] {
  const emit = (type: string, data: JsonFields) => event(type, { type, index, ...data }, [index])
  const isText = block.type === 'text'
  const content_block = isText ? { type: 'text', text: '' } : { ...messagesBlock(block, index), input: {} }
  const deltas = isText
    ? block.words.map((text) => ({ type: 'text_delta', text }))
    : inputPieces(block).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return [
    emit('content_block_start', { content_block }),
    ...deltas.map((delta) => emit('content_block_delta', { delta })),
    emit('content_block_stop', {}),
  ]
}

const messageHead = { id: 'm', type: 'message', role: 'assistant', model: 'up', stop_sequence: null }
const messageUsage = { input_tokens: 5, output_tokens: 7 }
const counted = { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 }
const billed = { tokens: { input_tokens: 5, output_tokens: 7 } }
const converseUsage = { inputTokens: 5, outputTokens: 7, totalTokens: 12 }

function geminiPart(block: AnswerBlock, index: number): JsonFields {
  return block.type === 'text'
    ? { text: textOf(block) }
    : { functionCall: { id: `call_${index}`, name: `f${index}`, args: inputObject(block) } }
}

function geminiChunk(parts: Json[], blocks: readonly number[], finishReason?: string): AnswerEvent {
  const candidate = { index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }
  return event(
    '',
    { responseId: 'g', modelVersion: 'up', candidates: [candidate], usageMetadata: counted },
    blocks,
  )
}

function cohereEvents(block: AnswerBlock, index: number): AnswerEvent[] {
  const isText = block.type === 'text'
  const emit = (type: string, message: JsonFields) =>
    event(type, { type, index, delta: { message } }, [index])
  if (isText) {
    return [
      emit('content-start', { content: { type: 'text', text: '' } }),
      ...block.words.map((text) => emit('content-delta', { content: { text } })),
      event('content-end', { type: 'content-end', index }, [index]),
    ]
  }
  const start = { id: `call_${index}`, type: 'function', function: { name: `f${index}`, arguments: '' } }
  return [
    emit('tool-call-start', { tool_calls: start }),
    ...inputPieces(block).map((piece) =>
      emit('tool-call-delta', { tool_calls: { function: { arguments: piece } } }),
    ),
    event('tool-call-end', { type: 'tool-call-end', index }, [index]),
  ]
}

function converseBlock(block: AnswerBlock, index: number): JsonFields {
  return block.type === 'text'
    ? { text: textOf(block) }
    : { toolUse: { toolUseId: `call_${index}`, name: `f${index}`, input: inputObject(block) } }
}

function converseEvents(block: AnswerBlock, index: number): AnswerEvent[] {
  const emit = (type: string, data: JsonFields) => event(type, { contentBlockIndex: index, ...data }, [index])
  const isText = block.type === 'text'
  const start = { toolUse: { toolUseId: `call_${index}`, name: `f${index}` } }
  const deltas: Json[] = isText
    ? block.words.map((text) => ({ text }))
    : inputPieces(block).map((input) => ({ toolUse: { input } }))
  return [
    ...(isText ? [] : [emit('contentBlockStart', { start })]),
    ...deltas.map((delta) => emit('contentBlockDelta', { delta })),
    emit('contentBlockStop', {}),
  ]
}

const streams: Readonly<Record<ChannelFormatId, Write>> = {
  chat: (blocks) => [
    chatChunk({ role: 'assistant', content: '' }, []),
    ...blocks.flatMap((block, index) => {
      if (block.type === 'text') return block.words.map((content) => chatChunk({ content }, [index]))
      const start = { index: index - 1, ...chatCall({ ...block, words: [] }, index) }
      const opened = { ...start, function: { name: `f${index}`, arguments: '' } }
      const pieces = inputPieces(block).map((piece) => ({ index: index - 1, function: { arguments: piece } }))
      return [opened, ...pieces].map((call) => chatChunk({ tool_calls: [call] }, [index]))
    }),
    chatChunk({}, [], isCalling(blocks) ? 'tool_calls' : 'stop'),
    event('', { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'up', choices: [], usage }),
    event('', '[DONE]'),
  ],
  messages: (blocks) => {
    const message = { ...messageHead, content: [], stop_reason: null, usage: messageUsage }
    const delta = { stop_reason: isCalling(blocks) ? 'tool_use' : 'end_turn', stop_sequence: null }
    return [
      event('message_start', { type: 'message_start', message }),
      ...blocks.flatMap(messagesEvents),
      event('message_delta', { type: 'message_delta', delta, usage: messageUsage }),
      event('message_stop', { type: 'message_stop' }),
    ]
  },
  responses: (blocks) => {
    const created = { type: 'response.created', response: { ...response([], 'in_progress'), usage: null } }
    const completed = { type: 'response.completed', response: response(blocks, 'completed') }
    return [
      event('response.created', created),
      ...blocks.flatMap(responsesEvents),
      event('response.completed', completed, all(blocks)),
    ]
  },
  gemini: (blocks) => [
    ...blocks.flatMap((block, index) =>
      block.type === 'text'
        ? block.words.map((text) => geminiChunk([{ text }], [index]))
        : [geminiChunk([geminiPart(block, index)], [index])],
    ),
    geminiChunk([], [], 'STOP'),
  ],
  cohere: (blocks) => {
    const end = { finish_reason: isCalling(blocks) ? 'TOOL_CALL' : 'COMPLETE', usage: billed }
    return [
      event('message-start', { type: 'message-start', id: 'co', delta: { message: { role: 'assistant' } } }),
      ...blocks.flatMap(cohereEvents),
      event('message-end', { type: 'message-end', delta: end }),
    ]
  },
  converse: (blocks) => [
    event('messageStart', { role: 'assistant' }),
    ...blocks.flatMap(converseEvents),
    event('messageStop', { stopReason: isCalling(blocks) ? 'tool_use' : 'end_turn' }),
    event('metadata', { usage: converseUsage, metrics: { latencyMs: 3 } }),
  ],
}

const wholes: Readonly<Record<ChannelFormatId, Write>> = {
  chat: (blocks) => {
    const [text, ...calls] = blocks
    const tool_calls = calls.map((block, index) => chatCall(block, index + 1))
    const message = {
      role: 'assistant',
      content: text === undefined ? '' : textOf(text),
      ...(calls.length > 0 && { tool_calls }),
    }
    const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }]
    return [
      event('', { id: 'c', object: 'chat.completion', created: 1, model: 'up', choices, usage }, all(blocks)),
    ]
  },
  messages: (blocks) => {
    const stop_reason = isCalling(blocks) ? 'tool_use' : 'end_turn'
    const content = blocks.map(messagesBlock)
    return [event('', { ...messageHead, content, stop_reason, usage: messageUsage }, all(blocks))]
  },
  responses: (blocks) => [event('', response(blocks, 'completed'), all(blocks))],
  gemini: (blocks) => [geminiChunk(blocks.map(geminiPart), all(blocks), 'STOP')],
  cohere: (blocks) => {
    const [text, ...calls] = blocks
    const content = [{ type: 'text', text: text === undefined ? '' : textOf(text) }]
    const tool_calls = calls.map((block, index) => chatCall(block, index + 1))
    const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) }
    const finish_reason = calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE'
    return [event('', { id: 'co', finish_reason, message, usage: billed }, all(blocks))]
  },
  converse: (blocks) => {
    const message = { role: 'assistant', content: blocks.map(converseBlock) }
    const stopReason = isCalling(blocks) ? 'tool_use' : 'end_turn'
    return [event('', { output: { message }, stopReason, usage: converseUsage }, all(blocks))]
  },
}
