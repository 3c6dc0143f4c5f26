import { Conversation } from './conversation.ts'
import {
  type Fields,
  fieldsOf,
  listOf,
  type Meaning,
  namesBeside,
  numberOrNothing,
  type Role,
  readShare,
  type ToolMeaning,
  textOrNothing,
  wordOf,
} from './meaning.ts'

const read = [
  'model',
  'messages',
  'stream',
  'max_tokens',
  'temperature',
  'p',
  'k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'strict_tools',
  'response_format',
  'thinking',
]

/** A request of Cohere's chat, version 2 (docs.cohere.com/reference/chat, seen 2026-11-20). */
export function readCohereRequest(body: unknown): Meaning {
  const request = fieldsOf(body)
  const conversation = new Conversation()
  // A penalty of zero is no penalty; a seed of zero is a seed.
  const isNoPenalty = (name: string) => name.endsWith('_penalty') && request[name] === 0
  conversation.addOthers(namesBeside(request, read, '').filter((name) => !isNoPenalty(name)))
  for (const message of listOf(request['messages'])) readMessage(conversation, fieldsOf(message))
  const thinking = fieldsOf(request['thinking'])
  const budget = numberOrNothing(thinking['token_budget'])
  return {
    ...conversation.emit(),
    tools: listOf(request['tools']).map((tool) => readTool(fieldsOf(tool), request['strict_tools'] === true)),
    toolChoice: wordOf(request['tool_choice']).toLowerCase() || 'auto',
    isParallel: true,
    isStream: request['stream'] === true,
    maxTokens: numberOrNothing(request['max_tokens']),
    temperature: readShare(request['temperature']),
    topP: numberOrNothing(request['p']),
    topK: numberOrNothing(request['k']),
    stops: listOf(request['stop_sequences']).map(wordOf),
    reasoning: {
      isOff: thinking['type'] === 'disabled',
      ...(budget === undefined ? {} : { budget }),
    },
    output: readOutput(request['response_format']),
    user: undefined,
    serviceTier: undefined,
    cacheMarks: 0,
  }
}

function readMessage(conversation: Conversation, message: Fields): void {
  const known = ['role', 'content', 'tool_calls', 'tool_plan', 'tool_call_id']
  conversation.addOthers(namesBeside(message, known, 'messages'))
  const parts = partsOf(message['content'])
  switch (message['role']) {
    case 'system':
      for (const part of parts) conversation.addSystem(wordOf(part['text']))
      return
    case 'tool':
      conversation.addResult(wordOf(message['tool_call_id']), parts.map(textOfResult).join('\n'), false)
      return
    case 'assistant':
      readAssistant(conversation, message)
      return
    default:
      for (const part of parts) readPart(conversation, 'user', part)
  }
}

function partsOf(content: unknown): readonly Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf)
}

/** Every field of a document is words to the model. */
function textOfResult(part: Fields): string {
  const data = fieldsOf(fieldsOf(part['document'])['data'])
  return part['type'] === 'document' ? Object.values(data).map(wordOf).join('\n') : wordOf(part['text'])
}

function readAssistant(conversation: Conversation, message: Fields): void {
  if (typeof message['tool_plan'] === 'string')
    conversation.addThought({ text: message['tool_plan'], signature: '' })
  for (const part of partsOf(message['content'])) readPart(conversation, 'assistant', part)
  for (const call of listOf(message['tool_calls']).map(fieldsOf)) {
    const { name, arguments: input } = fieldsOf(call['function'])
    conversation.addCall(wordOf(call['id']), { name: wordOf(name), input: inputOf(wordOf(input)) })
  }
}

function readPart(conversation: Conversation, role: Role, part: Fields): void {
  switch (part['type']) {
    case 'text':
      conversation.addText(role, wordOf(part['text']))
      return
    case 'thinking':
      conversation.addThought({ text: wordOf(part['thinking']), signature: '' })
      return
    case 'image_url': {
      const { url, detail } = fieldsOf(part['image_url'])
      const isPlain = detail === undefined || detail === 'auto'
      conversation.addImage(
        role,
        isPlain ? { from: wordOf(url) } : { from: wordOf(url), detail: wordOf(detail) },
      )
      return
    }
    default:
      conversation.addOthers([`part.${wordOf(part['type'])}`])
  }
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Nothing but an empty object is taken where the caller named no parameters. */
function readTool(tool: Fields, isStrict: boolean): ToolMeaning {
  const { name, description, parameters } = fieldsOf(tool['function'])
  const isEmpty = JSON.stringify(parameters) === '{"type":"object","properties":{}}'
  return {
    name: wordOf(name),
    description: textOrNothing(description) ?? '',
    schema: isEmpty ? {} : parameters,
    isStrict,
  }
}

function readOutput(value: unknown): unknown {
  const { type, json_schema: schema } = fieldsOf(value)
  return type === 'json_object' ? (schema ?? 'any JSON') : undefined
}
