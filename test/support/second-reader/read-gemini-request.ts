import { Conversation } from './conversation.ts'
import {
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
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'serviceTier',
  'model',
]
const readConfig = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'candidateCount',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
]

/**
 * A request of the Gemini API (https://ai.google.dev/api/generate-content, seen 2026-11-20), and what its
 * path asks for.
 */
export function readGeminiRequest(body: unknown, isStream: boolean): Meaning {
  const request = camel(fieldsOf(body))
  const conversation = new Conversation()
  const config = camel(fieldsOf(request['generationConfig']))
  conversation.addOthers(namesBeside(request, read, ''))
  conversation.addOthers(namesBeside(withoutPlain(config), readConfig, 'generationConfig'))
  conversation.addOthers(choicesOf(config))
  const system = listOf(fieldsOf(request['systemInstruction'])['parts'])
  for (const part of system) conversation.addSystem(wordOf(fieldsOf(part)['text']))
  const calls: string[] = []
  for (const content of listOf(request['contents'])) readContent(conversation, fieldsOf(content), calls)
  const calling = camel(fieldsOf(camel(fieldsOf(request['toolConfig']))['functionCallingConfig']))
  const others = namesBeside(camel(fieldsOf(request['toolConfig'])), ['functionCallingConfig'], 'toolConfig')
  conversation.addOthers(others)
  if (wordOf(calling['mode']) === 'VALIDATED' && calling['allowedFunctionNames'] === undefined) {
    conversation.addOthers(['toolConfig.functionCallingConfig.mode'])
  }
  const offered = Array.isArray(request['tools']) ? request['tools'] : [request['tools'] ?? {}]
  const tools = offered.flatMap((tool) => readTool(camel(fieldsOf(tool)), conversation))
  return {
    ...conversation.emit(),
    tools,
    toolChoice: readChoice(calling),
    isParallel: true,
    isStream,
    maxTokens: numberOrNothing(config['maxOutputTokens']),
    temperature: readShare(config['temperature']),
    topP: readShare(config['topP']),
    topK: numberOrNothing(config['topK']),
    stops: listOf(config['stopSequences']).map(wordOf),
    reasoning: readThinking(camel(fieldsOf(config['thinkingConfig']))),
    output: readOutputOf(config),
    user: undefined,
    serviceTier: textOrNothing(request['serviceTier']),
    cacheMarks: 0,
  }
}

/** Proto JSON takes both spellings of a field. */
function camel(fields: Fields): Fields {
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name.replace(/_(\w)/g, (_all, next: string) => next.toUpperCase()),
      value,
    ]),
  )
}

/** Words are what every answer is. */
function withoutPlain(config: Fields): Fields {
  const { responseModalities, ...others } = config
  return JSON.stringify(responseModalities)?.toUpperCase() === '["TEXT"]' ? others : config
}

/** Names more than one answer as losses do. */
function choicesOf(config: Fields): readonly string[] {
  const names: Readonly<Record<string, string>> = {
    seed: 'seed',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    responseLogprobs: 'logprobs',
    logprobs: 'top_logprobs',
  }
  const isSaid = (name: string) =>
    (config[name] ?? null) !== null && !(name.endsWith('Penalty') && config[name] === 0)
  const said = Object.entries(names).filter(([name]) => isSaid(name))
  const count = numberOrNothing(config['candidateCount']) ?? 1
  return [...said.map(([, name]) => name), ...(count === 1 ? [] : ['n'])]
}

function readContent(conversation: Conversation, content: Fields, calls: string[]): void {
  const role: Role = content['role'] === 'model' ? 'assistant' : 'user'
  for (const part of listOf(content['parts']))
    readPart(conversation, { role, part: camel(fieldsOf(part)), calls })
}

interface ReadPart {
  readonly role: Role
  readonly part: Fields
  /** Ids of calls that wait for their results, with the names of their functions. */
  readonly calls: string[]
}

const kinds = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData']
const beside = ['thought', 'thoughtSignature', ...kinds]

function readPart(conversation: Conversation, { role, part, calls }: ReadPart): void {
  const kind = kinds.find((name) => part[name] !== undefined)
  const signature = wordOf(part['thoughtSignature'])
  if (kind === undefined) {
    const name = Object.keys(part).find((key) => !beside.includes(key))
    if (name !== undefined) conversation.addOthers([`part.${name}`])
    return
  }
  conversation.addOthers(namesBeside(part, beside, 'messages.content'))
  if (part['thought'] === true) {
    conversation.addThought({ text: wordOf(part['text']), signature })
    return
  }
  if (signature !== '') conversation.addThought({ text: '', signature })
  switch (kind) {
    case 'text':
      conversation.addText(role, wordOf(part['text']))
      return
    case 'functionCall':
      readCall(conversation, camel(fieldsOf(part['functionCall'])), calls)
      return
    case 'functionResponse':
      readResponse(conversation, camel(fieldsOf(part['functionResponse'])), calls)
      return
    default:
      readMedia(conversation, role, camel(fieldsOf(part[kind])))
  }
}

function readCall(conversation: Conversation, call: Fields, calls: string[]): void {
  const name = wordOf(call['name'])
  const id = textOrNothing(call['id']) ?? `${name} ${calls.length}`
  calls.push(`${name}\n${id}`)
  conversation.addCall(id, { name, input: call['args'] ?? {} })
}

/** A result without an id answers the first call of its function that waits. */
function readResponse(conversation: Conversation, result: Fields, calls: string[]): void {
  const name = wordOf(result['name'])
  const own = textOrNothing(result['id'])
  const index = calls.findIndex((call) =>
    own === undefined ? call.startsWith(`${name}\n`) : call.endsWith(`\n${own}`),
  )
  const [found = ''] = index === -1 ? [] : calls.splice(index, 1)
  const { text, isError } = readOutput(result['response'], name)
  conversation.addResult(own ?? found.split('\n')[1] ?? '', text, isError)
  for (const part of listOf(result['parts'])) {
    const inner = camel(fieldsOf(part))
    readMedia(conversation, 'user', camel(fieldsOf(inner['inlineData'] ?? inner['fileData'])))
  }
}

/** Reads a function's result, which may stand under `output`, `error` or `result`, or beside the function's name. */
function readOutput(response: unknown, name: string): { readonly text: string; readonly isError: boolean } {
  const fields = fieldsOf(response)
  const names = Object.keys(fields)
  const [only = ''] = names.length === 1 ? names : []
  const isBeside = names.length === 2 && fields['name'] === name && fields['content'] !== undefined
  const value = ['output', 'error', 'result'].includes(only)
    ? fields[only]
    : isBeside
      ? fields['content']
      : response
  if (names.length === 0) return { text: '', isError: false }
  return { text: typeof value === 'string' ? value : JSON.stringify(value), isError: only === 'error' }
}

function readMedia(conversation: Conversation, role: Role, media: Fields): void {
  const type = wordOf(media['mimeType'])
  const data = wordOf(media['data'])
  const from = data === '' ? wordOf(media['fileUri']) : `data:${type};base64,${data}`
  const title = textOrNothing(media['displayName'])
  if (type.startsWith('image/')) conversation.addImage(role, { from })
  else if (type.startsWith('audio/') && data === '') conversation.addOthers(['part.fileData'])
  else if (type.startsWith('audio/')) conversation.addSound(role)
  else if (type.startsWith('video/')) conversation.addVideo(role)
  else conversation.addDocument(role, title === undefined ? { from } : { from, title })
}

function readTool(tool: Fields, conversation: Conversation): readonly ToolMeaning[] {
  const { functionDeclarations, ...hosted } = tool
  const declared = listOf(functionDeclarations).map((item) =>
    readFunction(camel(fieldsOf(item)), conversation),
  )
  if (Object.keys(hosted).length === 0) return declared
  const name = Object.keys(hosted).join(' ')
  return [...declared, { name, description: '', schema: 'of the provider', isStrict: false }]
}

function readFunction(declared: Fields, conversation: Conversation): ToolMeaning {
  const known = ['name', 'description', 'parameters', 'parametersJsonSchema']
  conversation.addOthers(namesBeside(declared, known, 'tools'))
  return {
    name: wordOf(declared['name']),
    description: wordOf(declared['description']),
    schema: schemaOf(declared['parametersJsonSchema'] ?? declared['parameters']) ?? {},
    isStrict: false,
  }
}

function readOutputOf(config: Fields): unknown {
  const schema = schemaOf(config['responseJsonSchema'] ?? config['responseSchema'])
  return schema ?? (config['responseMimeType'] === 'application/json' ? 'any JSON' : undefined)
}

/** The words behind the numbers of an enum. */
const types = ['', 'string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

/** The format's own schemas have types in capitals, and say apart that a value may be null. */
function schemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaOf)
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, ...fields } = fieldsOf(schema)
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'propertyOrdering') return []
    return [readMember(name, value, nullable === true)]
  })
  return Object.fromEntries(entries)
}

function readMember(name: string, value: unknown, isNullable: boolean): readonly [string, unknown] {
  if (name === 'enum' || name === 'required') return [name, value]
  const isWord = typeof value === 'string' || typeof value === 'number'
  if (name !== 'type' || !isWord) return [name, schemaOf(value)]
  const type = typeof value === 'number' ? types[value] : value.toLowerCase()
  return [name, isNullable ? [type, 'null'] : type]
}

function readChoice(calling: Fields): string {
  const mode = wordOf(calling['mode']).toUpperCase()
  const names = listOf(calling['allowedFunctionNames']).map(wordOf)
  if (mode === 'NONE') return 'none'
  if (mode === 'ANY')
    return names.length === 1 ? `tool ${names[0]}` : names.length === 0 ? 'required' : 'some'
  return names.length === 0 ? 'auto' : 'some'
}

function readThinking(thinking: Fields): ReasoningMeaning {
  const budget = numberOrNothing(thinking['thinkingBudget'])
  const level = textOrNothing(thinking['thinkingLevel'])?.toLowerCase()
  const shown = thinking['includeThoughts']
  return {
    ...(level === undefined ? {} : { effort: level }),
    ...(budget === undefined || budget < 1 ? {} : { budget }),
    ...(typeof shown === 'boolean' ? { display: shown ? 'summarized' : 'omitted' } : {}),
    isOff: budget === 0,
  }
}
