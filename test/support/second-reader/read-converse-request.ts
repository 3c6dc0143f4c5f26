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
  type Role,
  readShare,
  type ToolMeaning,
  textOrNothing,
  wordOf,
} from './meaning.ts'

const read = [
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'outputConfig',
  'additionalModelRequestFields',
  // These fields tell of the answer and change nothing.
  'additionalModelResponseFieldPaths',
  'serviceTier',
]

/**
 * A request of Bedrock's Converse (API_runtime_Converse.html, seen 2026-11-20). The path says if a stream is asked for.
 */
export function readConverseRequest(body: unknown): Meaning {
  const request = fieldsOf(body)
  const conversation = new Conversation()
  conversation.addOthers(namesBeside(request, read, ''))
  for (const block of listOf(request['system']).map(fieldsOf)) conversation.addSystem(wordOf(block['text']))
  for (const message of listOf(request['messages']).map(fieldsOf)) {
    const role = message['role'] === 'assistant' ? 'assistant' : 'user'
    for (const block of listOf(message['content']).map(fieldsOf)) readBlock(conversation, role, block)
  }
  const config = fieldsOf(request['inferenceConfig'])
  const own = fieldsOf(request['additionalModelRequestFields'])
  const tools = fieldsOf(request['toolConfig'])
  const format = fieldsOf(fieldsOf(fieldsOf(request['outputConfig'])['textFormat'])['structure'])
  const schema = textOrNothing(fieldsOf(format['jsonSchema'])['schema'])
  return {
    ...conversation.emit(),
    tools: listOf(tools['tools']).map(fieldsOf).flatMap(readTool),
    toolChoice: readToolChoice(fieldsOf(tools['toolChoice'])),
    isParallel: true,
    isStream: false,
    maxTokens: numberOrNothing(config['maxTokens']),
    temperature: readShare(config['temperature']),
    topP: readShare(config['topP']),
    topK: numberOrNothing(own['top_k'] ?? fieldsOf(own['inferenceConfig'])['topK']),
    stops: listOf(config['stopSequences']).map(wordOf),
    reasoning: readReasoning(own),
    output: schema === undefined ? undefined : JSON.parse(schema),
    user: undefined,
    serviceTier: textOrNothing(fieldsOf(request['serviceTier'])['type']),
    cacheMarks: countField(body, 'cachePoint'),
  }
}

function readBlock(conversation: Conversation, role: Role, block: Fields): void {
  const { text, image, document, video, audio, toolUse, toolResult, reasoningContent } = block
  if (typeof text === 'string') conversation.addText(role, text)
  else if (image !== undefined) conversation.addImage(role, { from: sourceOf(fieldsOf(image)) })
  else if (document !== undefined) conversation.addDocument(role, readDocument(fieldsOf(document)))
  else if (video !== undefined) conversation.addVideo(role)
  else if (audio !== undefined) conversation.addSound(role)
  else if (toolUse !== undefined) {
    const { toolUseId, name, input } = fieldsOf(toolUse)
    conversation.addCall(wordOf(toolUseId), { name: wordOf(name), input })
  } else if (toolResult !== undefined) readResult(conversation, fieldsOf(toolResult))
  else if (reasoningContent !== undefined) {
    const { reasoningText, redactedContent } = fieldsOf(reasoningContent)
    const { text: thought, signature } = fieldsOf(reasoningText)
    conversation.addThought({
      text: wordOf(thought),
      signature: wordOf(signature) || wordOf(redactedContent),
    })
  } else if (block['cachePoint'] === undefined)
    conversation.addOthers(Object.keys(block).map((name) => `part.${name}`))
}

const mediaTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  html: 'text/html',
}

/** Bytes as a `data:` URL. */
function sourceOf({ format, source }: Fields): string {
  const { bytes, s3Location } = fieldsOf(source)
  const type = mediaTypes[wordOf(format)] ?? `image/${wordOf(format)}`
  return typeof bytes === 'string' ? `data:${type};base64,${bytes}` : wordOf(fieldsOf(s3Location)['uri'])
}

function readDocument(document: Fields): Media {
  const bytes = wordOf(fieldsOf(document['source'])['bytes'])
  const isText = document['format'] === 'txt'
  const from = isText ? Buffer.from(bytes, 'base64').toString('utf8') : sourceOf(document)
  return { from, title: wordOf(document['name']) }
}

function readResult(conversation: Conversation, { toolUseId, content, status }: Fields): void {
  const parts = listOf(content).map(fieldsOf)
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  conversation.addResult(wordOf(toolUseId), texts.join('\n'), status === 'error')
  for (const part of parts) if (part['text'] === undefined) readBlock(conversation, 'user', part)
}

function readTool({ toolSpec, cachePoint }: Fields): readonly ToolMeaning[] {
  if (cachePoint !== undefined) return []
  const { name, description, inputSchema, strict } = fieldsOf(toolSpec)
  const schema = fieldsOf(inputSchema)['json'] ?? {}
  return [{ name: wordOf(name), description: wordOf(description), schema, isStrict: strict === true }]
}

function readToolChoice({ any, tool }: Fields): string {
  if (tool !== undefined) return `tool ${wordOf(fieldsOf(tool)['name'])}`
  return any === undefined ? 'auto' : 'required'
}

/** Reads reasoning in the words of the model's family. */
function readReasoning({
  thinking,
  output_config,
  reasoning_effort,
  reasoningConfig,
}: Fields): Meaning['reasoning'] {
  const { type, budget_tokens, display } = fieldsOf(thinking)
  const config = fieldsOf(reasoningConfig)
  const effort = fieldsOf(output_config)['effort'] ?? reasoning_effort ?? config['maxReasoningEffort']
  const budget = numberOrNothing(budget_tokens)
  return {
    ...(typeof effort === 'string' ? { effort } : {}),
    ...(budget === undefined ? {} : { budget }),
    ...(typeof display === 'string' ? { display } : {}),
    isOff: type === 'disabled',
  }
}
