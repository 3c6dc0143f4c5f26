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
  'messages',
  'system',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'cache_control',
]

/** A request of Anthropic's messages format (platform.claude.com/docs/en/api/messages, seen 2026-11-20). */
export function readMessagesRequest(body: unknown): Meaning {
  const request = fieldsOf(body)
  const conversation = new Conversation()
  conversation.addOthers(namesBeside(request, read, ''))
  for (const block of blocksOf(request['system'])) conversation.addSystem(wordOf(block['text']))
  for (const message of listOf(request['messages'])) readMessage(conversation, fieldsOf(message))
  const choice = fieldsOf(request['tool_choice'])
  const config = fieldsOf(request['output_config'])
  const tools = listOf(request['tools']).map((tool) => readTool(fieldsOf(tool), conversation))
  conversation.addOthers(namesBeside(config, ['effort', 'format'], 'output_config'))
  return {
    ...conversation.emit(),
    tools,
    toolChoice: readToolChoice(choice),
    isParallel: choice['disable_parallel_tool_use'] !== true,
    isStream: request['stream'] === true,
    maxTokens: numberOrNothing(request['max_tokens']),
    temperature: readShare(request['temperature']),
    topP: readShare(request['top_p']),
    topK: numberOrNothing(request['top_k']),
    stops: listOf(request['stop_sequences']).map(wordOf),
    reasoning: readReasoning(fieldsOf(request['thinking']), config['effort']),
    output: fieldsOf(config['format'] ?? request['output_format'])['schema'],
    user: textOrNothing(fieldsOf(request['metadata'])['user_id']),
    serviceTier: textOrNothing(request['service_tier']),
    cacheMarks: countField(body, 'cache_control'),
  }
}

function blocksOf(content: unknown): readonly Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf)
}

function readMessage(conversation: Conversation, message: Fields): void {
  conversation.addOthers(namesBeside(message, ['role', 'content'], 'messages'))
  const role = wordOf(message['role'])
  for (const block of blocksOf(message['content'])) {
    if (role === 'system' && block['type'] === 'text') conversation.addSystem(wordOf(block['text']))
    else readBlock(conversation, role === 'assistant' ? 'assistant' : 'user', block)
  }
}

const blockFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations'],
  image: ['source'],
  document: ['source', 'title', 'context'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
}

function readBlock(conversation: Conversation, role: Role, block: Fields): void {
  const kind = wordOf(block['type'])
  const known = blockFields[kind]
  if (known === undefined) {
    conversation.addOthers([`part.${kind}`])
    return
  }
  conversation.addOthers(namesBeside(block, ['type', 'cache_control', ...known], 'messages.content'))
  switch (kind) {
    case 'text':
      conversation.addText(role, wordOf(block['text']))
      return
    case 'image':
      conversation.addImage(role, { from: sourceOf(fieldsOf(block['source'])) })
      return
    case 'document':
      conversation.addDocument(role, readDocument(block))
      return
    case 'tool_use':
      conversation.addCall(wordOf(block['id']), { name: wordOf(block['name']), input: block['input'] ?? {} })
      return
    case 'tool_result':
      readResult(conversation, block)
      return
    default:
      conversation.addThought({
        text: wordOf(block['thinking']),
        signature: wordOf(block['signature']) || wordOf(block['data']),
      })
  }
}

function readDocument(block: Fields): Media {
  const from = sourceOf(fieldsOf(block['source']))
  const title = textOrNothing(block['title'])
  return title === undefined ? { from } : { from, title }
}

/** Bytes as the `data:` URL that the chat format has for them. */
function sourceOf(source: Fields): string {
  if (source['type'] === 'base64')
    return `data:${wordOf(source['media_type'])};base64,${wordOf(source['data'])}`
  return wordOf(source['url']) || wordOf(source['file_id']) || wordOf(source['data'])
}

function readResult(conversation: Conversation, block: Fields): void {
  const parts = blocksOf(block['content'])
  const texts = parts.filter((part) => part['type'] === 'text').map((part) => wordOf(part['text']))
  conversation.addResult(wordOf(block['tool_use_id']), texts.join('\n'), block['is_error'] === true)
  for (const part of parts) if (part['type'] !== 'text') readBlock(conversation, 'user', part)
}

function readTool(tool: Fields, conversation: Conversation): ToolMeaning {
  const kind = textOrNothing(tool['type']) ?? 'custom'
  if (kind !== 'custom') return { name: kind, description: '', schema: 'of the provider', isStrict: false }
  const known = ['type', 'name', 'description', 'input_schema', 'strict', 'cache_control']
  conversation.addOthers(namesBeside(tool, known, 'tools'))
  return {
    name: wordOf(tool['name']),
    description: wordOf(tool['description']),
    schema: tool['input_schema'] ?? {},
    isStrict: tool['strict'] === true,
  }
}

function readToolChoice(choice: Fields): string {
  switch (choice['type']) {
    case 'any':
      return 'required'
    case 'none':
      return 'none'
    case 'tool':
      return `tool ${wordOf(choice['name'])}`
    default:
      return 'auto'
  }
}

function readReasoning(thinking: Fields, effort: unknown): ReasoningMeaning {
  const budget = numberOrNothing(thinking['budget_tokens'])
  const display = textOrNothing(thinking['display'])
  return {
    ...(typeof effort === 'string' ? { effort } : {}),
    ...(budget === undefined ? {} : { budget }),
    ...(display === undefined ? {} : { display }),
    isOff: thinking['type'] === 'disabled',
  }
}
