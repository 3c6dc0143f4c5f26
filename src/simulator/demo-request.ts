import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../kit/json/json.ts'
import { DemoError } from './demo-error.ts'

export const demoChatModel = 'demo-chat'
export const demoEmbeddingModel = 'demo-embed'

export interface DemoMessage {
  readonly role: string
  /** The text parts, in order. */
  readonly texts: readonly string[]
  /** The number of parts that are not text. */
  readonly attachments: number
}

export interface DemoTool {
  readonly name: string
  readonly parameters: JsonObject
}

/** The parts of a chat completions request that the demo model uses. */
export interface DemoRequest {
  readonly messages: readonly DemoMessage[]
  readonly tools: readonly DemoTool[]
  /** A tool's name, or one of the format's own values. */
  readonly toolChoice: { readonly mode: 'auto' | 'none' | 'required' } | { readonly name: string }
  readonly parallelToolCalls: boolean
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly maxTokens: number
  readonly choices: number
  readonly stop: readonly string[]
  readonly output:
    | { readonly type: 'text' | 'json' }
    | { readonly type: 'schema'; readonly schema: JsonObject }
}

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
const MAX_CHOICES = 8

/** Reads the body of a chat completions request. Throws `DemoError`. */
export function readDemoRequest(body: JsonObject): DemoRequest {
  requireModel(body, demoChatModel)
  const messages = body['messages']
  if (!isJsonArray(messages) || messages.length === 0) {
    throw new DemoError(400, 'messages must be a list that is not empty.', { param: 'messages' })
  }
  const streamOptions = body['stream_options']
  return {
    messages: messages.map(readMessage),
    tools: readTools(body['tools']),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelToolCalls: body['parallel_tool_calls'] !== false,
    stream: body['stream'] === true,
    includeUsage: isJsonObject(streamOptions) && streamOptions['include_usage'] === true,
    maxTokens:
      readCount(body, 'max_completion_tokens') ?? readCount(body, 'max_tokens') ?? Number.POSITIVE_INFINITY,
    choices: readChoices(body),
    stop: readStops(body['stop']),
    output: readOutput(body['response_format']),
  }
}

const paths: ReadonlyMap<string, string> = new Map([
  [demoChatModel, '/v1/chat/completions'],
  [demoEmbeddingModel, '/v1/embeddings'],
])

/** Requires the model with this name. Throws where the body names another model, or none. */
export function requireModel(body: JsonObject, name: string): void {
  const { model } = body
  if (typeof model !== 'string') throw new DemoError(400, 'model must be a string.', { param: 'model' })
  if (model === name) return
  const path = paths.get(model)
  if (path !== undefined) {
    throw new DemoError(
      400,
      `The demo's model "${model}" is asked at ${path}; "${name}" is the one for this.`,
      {
        param: 'model',
      },
    )
  }
  throw new DemoError(404, `The demo has no model "${model}" here; it has "${name}".`, {
    param: 'model',
    code: 'model_not_found',
  })
}

function readMessage(value: JsonValue, index: number): DemoMessage {
  const param = `messages[${index}]`
  if (!isJsonObject(value)) throw new DemoError(400, `${param} must be an object.`, { param })
  const { role, content } = value
  if (typeof role !== 'string' || !roles.has(role)) {
    throw new DemoError(400, `${param}.role is not a role.`, { param: `${param}.role` })
  }
  if (typeof content === 'string') return { role, texts: [content], attachments: 0 }
  if (content === undefined || content === null) return { role, texts: [], attachments: 0 }
  if (!isJsonArray(content)) {
    throw new DemoError(400, `${param}.content must be a string or a list of parts.`, {
      param: `${param}.content`,
    })
  }
  const texts = content.flatMap((part) =>
    isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return { role, texts, attachments: content.length - texts.length }
}

function readChoices(body: JsonObject): number {
  const choices = readCount(body, 'n') ?? 1
  if (choices <= MAX_CHOICES) return choices
  throw new DemoError(400, `n must be at most ${MAX_CHOICES}.`, { param: 'n' })
}

function readStops(value: JsonValue | undefined): readonly string[] {
  const list = isJsonArray(value) ? value : [value]
  return list.filter((each) => typeof each === 'string' && each !== '').map(String)
}

function readTools(value: JsonValue | undefined): readonly DemoTool[] {
  if (!isJsonArray(value)) return []
  return value.flatMap((tool, index) => {
    const body = isJsonObject(tool) ? tool['function'] : undefined
    if (!isJsonObject(body)) return []
    const { name, parameters } = body
    const param = `tools[${index}].function.name`
    if (typeof name !== 'string') throw new DemoError(400, `${param} must be a string.`, { param })
    return [{ name, parameters: isJsonObject(parameters) ? parameters : {} }]
  })
}

function readToolChoice(value: JsonValue | undefined): DemoRequest['toolChoice'] {
  if (value === 'none' || value === 'required') return { mode: value }
  const body = isJsonObject(value) ? value['function'] : undefined
  return isJsonObject(body) && typeof body['name'] === 'string' ? { name: body['name'] } : { mode: 'auto' }
}

function readOutput(value: JsonValue | undefined): DemoRequest['output'] {
  if (!isJsonObject(value)) return { type: 'text' }
  if (value['type'] === 'json_object') return { type: 'json' }
  if (value['type'] !== 'json_schema') return { type: 'text' }
  const body = value['json_schema']
  const schema = isJsonObject(body) ? body['schema'] : undefined
  if (isJsonObject(schema)) return { type: 'schema', schema }
  throw new DemoError(400, 'response_format.json_schema.schema must be an object.', {
    param: 'response_format',
  })
}

/** Reads a whole number of at least 1. Null is the same as absent. */
export function readCount(body: JsonObject, name: string): number | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw new DemoError(400, `${name} must be a whole number of at least 1.`, { param: name })
}
