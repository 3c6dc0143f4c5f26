import { Conversation } from './conversation.ts'
import {
  countField,
  type Fields,
  fieldsOf,
  listOf,
  type Meaning,
  type Media,
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
  'input',
  'instructions',
  'stream',
  'max_output_tokens',
  'temperature',
  'top_p',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'user',
  'service_tier',
]

/**
 * A request of OpenAI's responses format (platform.openai.com/docs/api-reference/responses/create, seen 2026-11-20).
 */
export function readResponsesRequest(body: unknown): Meaning {
  const request = fieldsOf(body)
  const conversation = new Conversation()
  conversation.addOthers(namesBeside(request, read, '').filter((name) => saysSomething(name, request[name])))
  if (wordOf(request['instructions']) !== '') conversation.addSystem(wordOf(request['instructions']))
  for (const item of itemsOf(request['input'])) readItem(conversation, item)
  const text = fieldsOf(request['text'])
  conversation.addOthers(namesBeside(text, ['format'], '').filter((name) => name === 'verbosity'))
  const tools = listOf(request['tools']).flatMap((tool) => readTool(fieldsOf(tool), conversation))
  return {
    ...conversation.emit(),
    tools,
    toolChoice: readToolChoice(request['tool_choice']),
    isParallel: request['parallel_tool_calls'] !== false,
    isStream: request['stream'] === true,
    maxTokens: numberOrNothing(request['max_output_tokens']),
    temperature: readShare(request['temperature']),
    topP: readShare(request['top_p']),
    topK: undefined,
    stops: [],
    reasoning: readReasoning(fieldsOf(request['reasoning'])),
    output: readOutput(fieldsOf(text['format'])),
    user: textOrNothing(request['user']),
    serviceTier: textOrNothing(request['service_tier']),
    cacheMarks: countField(body, 'prompt_cache_breakpoint'),
  }
}

/**
 * Whether a field says something to a model: what every answer without a store has anyway, and what asks for parts of
 * the answer, does not.
 */
function saysSomething(name: string, value: unknown): boolean {
  if (name === 'store') return value !== false
  if (name === 'truncation') return value !== 'disabled'
  if (name === 'include') return listOf(value).some((one) => one !== 'reasoning.encrypted_content')
  return name !== 'stream_options'
}

function itemsOf(input: unknown): readonly Fields[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return listOf(input).map(fieldsOf)
}

function readItem(conversation: Conversation, item: Fields): void {
  const kind = textOrNothing(item['type']) ?? 'message'
  switch (kind) {
    case 'message':
      readMessage(conversation, item)
      return
    case 'function_call':
    case 'custom_tool_call':
      readCall(conversation, item)
      return
    case 'function_call_output':
    case 'custom_tool_call_output':
      readResult(conversation, item)
      return
    case 'reasoning':
      readThought(conversation, item)
      return
    default:
      conversation.addOthers([`part.${kind}`])
  }
}

function readMessage(conversation: Conversation, message: Fields): void {
  const known = ['type', 'role', 'content', 'id', 'status']
  conversation.addOthers(namesBeside(message, known, 'input'))
  const role = wordOf(message['role'])
  for (const part of partsOf(message['content'])) {
    if (role === 'system' || role === 'developer') conversation.addSystem(wordOf(part['text']))
    else readPart(conversation, role === 'assistant' ? 'assistant' : 'user', part)
  }
}

function partsOf(content: unknown): readonly Fields[] {
  return typeof content === 'string' ? [{ type: 'input_text', text: content }] : listOf(content).map(fieldsOf)
}

function readPart(conversation: Conversation, role: Role, part: Fields): void {
  const kind = wordOf(part['type'])
  switch (kind) {
    case 'input_text':
    case 'output_text':
      conversation.addText(role, wordOf(part['text']))
      return
    case 'refusal':
      conversation.addText(role, wordOf(part['refusal']))
      return
    case 'input_image': {
      const detail = textOrNothing(part['detail'])
      const from = wordOf(part['image_url']) || wordOf(part['file_id'])
      conversation.addImage(role, detail === undefined || detail === 'auto' ? { from } : { from, detail })
      return
    }
    case 'input_file':
      conversation.addDocument(role, readFile(part))
      return
    case 'input_audio':
      conversation.addSound(role)
      return
    default:
      conversation.addOthers([`part.${kind}`])
  }
}

function readFile(part: Fields): Media {
  const from = wordOf(part['file_data']) || wordOf(part['file_url']) || wordOf(part['file_id'])
  const title = textOrNothing(part['filename'])
  return title === undefined ? { from } : { from, title }
}

function readCall(conversation: Conversation, item: Fields): void {
  const known = ['type', 'call_id', 'name', 'namespace', 'arguments', 'input', 'id', 'status']
  conversation.addOthers(namesBeside(item, known, 'input'))
  const input =
    item['type'] === 'custom_tool_call' ? wordOf(item['input']) : inputOf(wordOf(item['arguments']))
  const name = nameOf(wordOf(item['name']), textOrNothing(item['namespace']))
  conversation.addCall(wordOf(item['call_id']), { name, input })
}

/** The tool's name in its namespace, as docs/translation.md describes it. */
function nameOf(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `ns--${namespace}--${name}`
}

function inputOf(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function readResult(conversation: Conversation, item: Fields): void {
  const known = ['type', 'call_id', 'output', 'id', 'status', 'name', 'namespace']
  conversation.addOthers(namesBeside(item, known, 'input'))
  const parts = partsOf(item['output'])
  const texts = parts.filter((part) => part['type'] === 'input_text').map((part) => wordOf(part['text']))
  conversation.addResult(wordOf(item['call_id']), texts.join('\n'), false)
  for (const part of parts) if (part['type'] !== 'input_text') readPart(conversation, 'user', part)
}

function readThought(conversation: Conversation, item: Fields): void {
  const words = [...listOf(item['summary']), ...listOf(item['content'])].map((part) =>
    wordOf(fieldsOf(part)['text']),
  )
  conversation.addThought({ text: words.join('\n\n'), signature: wordOf(item['encrypted_content']) })
}

function readTool(tool: Fields, conversation: Conversation): readonly ToolMeaning[] {
  const kind = wordOf(tool['type'])
  if (kind === 'namespace') {
    const inner = listOf(tool['tools']).flatMap((one) => readTool(fieldsOf(one), conversation))
    return inner.map((one) => ({ ...one, name: nameOf(one.name, wordOf(tool['name'])) }))
  }
  if (kind !== 'function' && kind !== 'custom') {
    return [{ name: kind, description: '', schema: 'of the provider', isStrict: false }]
  }
  const known = ['type', 'name', 'description', 'parameters', 'strict', 'format']
  conversation.addOthers(namesBeside(tool, known, 'tools'))
  return [
    {
      name: wordOf(tool['name']),
      description: wordOf(tool['description']),
      schema: kind === 'custom' ? 'free text' : (tool['parameters'] ?? {}),
      // A tool without `strict` is strict as far as its schema lets it be; no other format can ask for that.
      isStrict: tool['strict'] === true,
    },
  ]
}

function readToolChoice(choice: unknown): string {
  if (choice === undefined || choice === null) return 'auto'
  if (typeof choice === 'string') return choice
  const { type, name } = fieldsOf(choice)
  if (type === 'allowed_tools') return 'some'
  return `tool ${wordOf(name) || wordOf(type)}`
}

function readReasoning({ effort, summary, generate_summary }: Fields): ReasoningMeaning {
  const isShown = (summary ?? generate_summary ?? null) !== null
  return {
    ...(typeof effort === 'string' && effort !== 'none' ? { effort } : {}),
    ...(isShown ? { display: 'summarized' } : {}),
    isOff: effort === 'none',
  }
}

function readOutput(format: Fields): unknown {
  if (format['type'] === 'json_schema') return format['schema'] ?? {}
  return format['type'] === 'json_object' ? 'any JSON' : undefined
}
