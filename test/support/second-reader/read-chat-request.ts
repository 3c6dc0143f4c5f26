import { Conversation } from './conversation.ts'
import {
  countField,
  type Fields,
  fieldsOf,
  listOf,
  type Meaning,
  namesBeside,
  numberOrNothing,
  type ReasoningMeaning,
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
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
  'user',
  'service_tier',
  'cache_control',
]

/** A request of OpenAI's chat completions format (platform.openai.com/docs/api-reference/chat, seen 2026-11-20). */
export function readChatRequest(body: unknown): Meaning {
  const request = fieldsOf(body)
  const conversation = new Conversation()
  conversation.addOthers(namesBeside(request, read, '').filter((name) => saysSomething(name, request[name])))
  for (const message of listOf(request['messages'])) readMessage(conversation, fieldsOf(message))
  const stop = request['stop']
  return {
    ...conversation.emit(),
    tools: readTools(request, conversation),
    others: conversation.emit().others,
    toolChoice: readToolChoice(request['tool_choice'] ?? request['function_call']),
    isParallel: request['parallel_tool_calls'] !== false,
    isStream: request['stream'] === true,
    maxTokens: numberOrNothing(request['max_completion_tokens'] ?? request['max_tokens']),
    temperature: readShare(request['temperature']),
    topP: readShare(request['top_p']),
    topK: numberOrNothing(request['top_k']),
    stops: typeof stop === 'string' ? [stop] : listOf(stop).map(wordOf),
    reasoning: readReasoning(request['reasoning_effort']),
    output: readOutput(fieldsOf(request['response_format'])),
    user: textOrNothing(request['user']),
    serviceTier: textOrNothing(request['service_tier']),
    cacheMarks: countField(body, 'cache_control'),
  }
}

/** Whether a field says something: what every format gives unasked does not. */
function saysSomething(name: string, value: unknown): boolean {
  if (name === 'n') return value !== 1
  if (name === 'presence_penalty' || name === 'frequency_penalty') return value !== 0
  return !(name === 'logprobs' && value === false)
}

const messageFields = [
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'refusal',
  'audio',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'cache_control',
]

function readMessage(conversation: Conversation, message: Fields): void {
  conversation.addOthers(namesBeside(message, messageFields, 'messages'))
  const role = wordOf(message['role'])
  // The name beside a result is the tool's, which the call says.
  const isResult = role === 'function' || role === 'tool'
  if (!isResult && typeof message['name'] === 'string') conversation.addName(message['name'])
  switch (role) {
    case 'system':
    case 'developer':
      for (const part of partsOf(message['content'])) conversation.addSystem(wordOf(part['text']))
      return
    case 'tool':
    case 'function':
      readResult(conversation, message)
      return
    case 'assistant':
      readAssistant(conversation, message)
      return
    default:
      for (const part of partsOf(message['content'])) readPart(conversation, 'user', part)
  }
}

function partsOf(content: unknown): readonly Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf)
}

function readAssistant(conversation: Conversation, message: Fields): void {
  readThoughts(conversation, message)
  for (const part of partsOf(message['content'])) readPart(conversation, 'assistant', part)
  conversation.addText('assistant', wordOf(message['refusal']))
  for (const call of listOf(message['tool_calls']).map(fieldsOf)) {
    conversation.addOthers(
      namesBeside(
        call,
        ['id', 'type', 'index', 'function', 'custom', 'cache_control'],
        'messages.tool_calls',
      ),
    )
    const body = fieldsOf(call['function'] ?? call['custom'])
    const raw = wordOf(body['arguments'] ?? body['input'])
    conversation.addCall(wordOf(call['id']), { name: wordOf(body['name']), input: inputOf(raw) })
  }
  const legacy = fieldsOf(message['function_call'])
  if (typeof legacy['name'] !== 'string') return
  conversation.addCall('function', { name: legacy['name'], input: inputOf(wordOf(legacy['arguments'])) })
}

/** Details hold the same words as the plain fields, and what proves them. */
function readThoughts(conversation: Conversation, message: Fields): void {
  const details = listOf(message['reasoning_details']).map(fieldsOf)
  const plain = wordOf(message['reasoning_content']) || wordOf(message['reasoning'])
  const hasWords = details.some((detail) => wordOf(detail['text'] ?? detail['summary']) !== '')
  if (!hasWords && plain !== '') conversation.addThought({ text: plain, signature: '' })
  for (const detail of details) {
    const text = wordOf(detail['text'] ?? detail['summary'])
    conversation.addThought({ text, signature: wordOf(detail['signature']) || wordOf(detail['data']) })
  }
}

function inputOf(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function readResult(conversation: Conversation, message: Fields): void {
  const parts = partsOf(message['content'])
  const id = message['role'] === 'function' ? 'function' : wordOf(message['tool_call_id'])
  const texts = parts.filter((part) => part['type'] === 'text').map((part) => wordOf(part['text']))
  conversation.addResult(id, texts.join('\n'), false)
  for (const part of parts) if (part['type'] !== 'text') readPart(conversation, 'user', part)
}

function readPart(conversation: Conversation, role: Role, part: Fields): void {
  const kind = wordOf(part['type'])
  switch (kind) {
    case 'text':
      conversation.addText(role, wordOf(part['text']))
      break
    case 'refusal':
      conversation.addText(role, wordOf(part['refusal']))
      break
    case 'image_url': {
      const holder = fieldsOf(part['image_url'])
      const detail = textOrNothing(holder['detail'])
      const from = wordOf(part['image_url']) || wordOf(holder['url'])
      conversation.addImage(role, detail === undefined || detail === 'auto' ? { from } : { from, detail })
      break
    }
    case 'file':
    case 'document_url':
      readDocument(conversation, role, part)
      break
    case 'input_audio':
      conversation.addSound(role)
      break
    case 'video_url':
      conversation.addVideo(role)
      break
    case 'thinking':
      conversation.addThought({
        text: listOf(part['thinking'])
          .map((item) => wordOf(fieldsOf(item)['text']))
          .join(''),
        signature: '',
      })
      break
    default:
      conversation.addOthers([`part.${kind}`])
  }
  conversation.addOthers(
    namesBeside(
      part,
      ['type', 'text', 'refusal', kind, 'cache_control', 'document_name'],
      'messages.content',
    ),
  )
}

function readDocument(conversation: Conversation, role: Role, part: Fields): void {
  const file = fieldsOf(part['file'])
  const holder = fieldsOf(part['document_url'])
  const address = wordOf(part['document_url']) || wordOf(holder['url'])
  const from = address || wordOf(file['file_data']) || wordOf(file['file_id'])
  const title = textOrNothing(file['filename'] ?? part['document_name'])
  conversation.addDocument(role, title === undefined ? { from } : { from, title })
}

function readTools(request: Fields, conversation: Conversation): readonly ToolMeaning[] {
  const legacy = listOf(request['functions']).map((definition) =>
    readDefinition(fieldsOf(definition), undefined),
  )
  return [...listOf(request['tools']).map((tool) => readTool(fieldsOf(tool), conversation)), ...legacy]
}

function readTool(tool: Fields, conversation: Conversation): ToolMeaning {
  const kind = textOrNothing(tool['type']) ?? 'function'
  if (kind === 'function' || kind === 'custom') {
    conversation.addOthers(namesBeside(tool, ['type', kind, 'cache_control'], 'tools'))
    const definition = fieldsOf(tool[kind])
    conversation.addOthers(
      namesBeside(definition, ['name', 'description', 'parameters', 'strict', 'format'], 'tools.function'),
    )
    return readDefinition(definition, kind === 'custom' ? 'free text' : undefined)
  }
  return { name: kind, description: '', schema: 'of the provider', isStrict: false }
}

function readDefinition(definition: Fields, schema: string | undefined): ToolMeaning {
  return {
    name: wordOf(definition['name']),
    description: wordOf(definition['description']),
    schema: schema ?? definition['parameters'] ?? {},
    isStrict: definition['strict'] === true,
  }
}

function readToolChoice(choice: unknown): string {
  if (choice === undefined || choice === null) return 'auto'
  if (typeof choice === 'string') return choice === 'any' ? 'required' : choice
  const fields = fieldsOf(choice)
  if (fields['type'] === 'allowed_tools') return 'some'
  return `tool ${wordOf(fieldsOf(fields['function'] ?? fields['custom'] ?? fields)['name'])}`
}

function readReasoning(effort: unknown): ReasoningMeaning {
  if (typeof effort !== 'string') return { isOff: false }
  return effort === 'none' ? { isOff: true } : { effort, isOff: false }
}

function readOutput(format: Fields): unknown {
  if (format['type'] === 'json_schema') return fieldsOf(format['json_schema'])['schema'] ?? {}
  return format['type'] === 'json_object' ? 'any JSON' : undefined
}
