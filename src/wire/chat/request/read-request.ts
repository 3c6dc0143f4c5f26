import { type ChatRequest, efforts, type OutputFormat, type Reasoning } from '../../../canonical/request.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  invalidField,
  readBoolean,
  readInteger,
  readNumber,
  readObject,
  readString,
  requireObject,
  requireString,
} from '../../fields/read-field.ts'
import { limitSchemaSize } from '../../limit-schema-size.ts'
import { checkStreamOptions } from '../../openai/request/check-stream-options.ts'
import { readStop } from '../../openai/request/read-stop.ts'
import { readCacheField } from '../values/cache-control.ts'
import { toExtras } from '../values/extras.ts'
import { readMessages } from './read-messages.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import {
  jsonSchemaFields,
  plainFormatFields,
  requestFields,
  schemaFormatFields,
  streamOptionsFields,
  vendorRequestFields,
} from './request-fields.ts'

const request = knownFields(requestFields, vendorRequestFields)
const streamOptions = knownFields(streamOptionsFields)
const INTEGER_BOUNDS = { path: '', min: Number.MIN_SAFE_INTEGER }
const COUNT_BOUNDS = { path: '', min: 1 }

/**
 * Throws `GatewayError` with the `param` at fault. The ranges of values are not checked, since the model that answers
 * checks them.
 */
export function readRequest(body: JsonObject): ChatRequest {
  return runToEnd(readRequestInSteps(body))
}

export function* readRequestInSteps(body: JsonObject): Steps<ChatRequest> {
  const toolChoice = readToolChoice(body)
  const output = readOutputFormat(body)
  const effort = readEffort(body)
  const options = readObject(body, 'stream_options', '')
  checkStreamOptions(options)
  const { mark, unread: unreadMark } = readCacheField(body)
  const read = omitUndefined({
    model: requireString(body, 'model', ''),
    turns: yield* readMessages(body),
    stream: readBoolean(body, 'stream', '') ?? false,
    tools: readTools(body),
    toolChoice: toolChoice.choice,
    parallelToolCalls: readBoolean(body, 'parallel_tool_calls', ''),
    ...readSampling(body),
    outputFormat: output.format,
    reasoning: effort.reasoning,
    verbosity: readString(body, 'verbosity', ''),
    endUser: readString(body, 'user', ''),
    serviceTier: readString(body, 'service_tier', ''),
    ...mark,
    ...toExtras(leftoversOf(body, request), {
      tool_choice: toolChoice.unread,
      response_format: output.unread,
      reasoning_effort: effort.unread,
      stream_options: options === undefined ? undefined : leftoversOf(options, streamOptions),
      cache_control: unreadMark,
    }),
  })
  return limitSchemaSize(read, { tools: 'tools', output: 'response_format' })
}

function readSampling(body: JsonObject) {
  return {
    maxOutputTokens: readOutputCap(body),
    temperature: readNumber(body, 'temperature', ''),
    topP: readNumber(body, 'top_p', ''),
    topK: readInteger(body, 'top_k', INTEGER_BOUNDS),
    presencePenalty: readNumber(body, 'presence_penalty', ''),
    frequencyPenalty: readNumber(body, 'frequency_penalty', ''),
    seed: readInteger(body, 'seed', INTEGER_BOUNDS),
    stopSequences: readStop(body),
    choices: readInteger(body, 'n', COUNT_BOUNDS),
    logprobs: readBoolean(body, 'logprobs', ''),
    topLogprobs: readInteger(body, 'top_logprobs', { path: '', min: 0 }),
    logitBias: readObject(body, 'logit_bias', ''),
  }
}

function readOutputCap(body: JsonObject): number | undefined {
  const older = readInteger(body, 'max_tokens', COUNT_BOUNDS)
  const newer = readInteger(body, 'max_completion_tokens', COUNT_BOUNDS)
  if (older !== undefined && newer !== undefined && older !== newer) {
    throw invalidField('max_tokens', 'left out where "max_completion_tokens" is given')
  }
  return newer ?? older
}

/** Efforts that only some servers know, such as `default`, stay unchanged. */
function readEffort(body: JsonObject): {
  readonly reasoning?: Reasoning
  readonly unread?: JsonValue
} {
  const word = readString(body, 'reasoning_effort', '')
  if (word === undefined) return {}
  const effort = efforts.find((known) => known === word)
  return effort === undefined ? { unread: word } : { reasoning: { effort } }
}

const plainFormat = knownFields(plainFormatFields)
const schemaFormat = knownFields(schemaFormatFields)
const jsonSchema = knownFields(jsonSchemaFields)

interface ReadOutputFormat {
  readonly format?: OutputFormat
  /** The fields that `format` does not contain. */
  readonly unread?: JsonObject | undefined
}

function readOutputFormat(body: JsonObject): ReadOutputFormat {
  const format = readObject(body, 'response_format', '')
  if (format === undefined) return {}
  const type = requireString(format, 'type', 'response_format')
  if (type === 'text') return { format: { type: 'text' }, unread: leftoversOf(format, plainFormat) }
  if (type === 'json_object') return { format: { type: 'json' }, unread: leftoversOf(format, plainFormat) }
  if (type !== 'json_schema') return { unread: format }
  const path = 'response_format.json_schema'
  const holder = requireObject(format, 'json_schema', 'response_format')
  const inner = leftoversOf(holder, jsonSchema)
  return {
    format: omitUndefined({
      type: 'json-schema' as const,
      schema: readObject(holder, 'schema', path) ?? {},
      name: requireString(holder, 'name', path),
      description: readString(holder, 'description', path),
      strict: readBoolean(holder, 'strict', path),
    }),
    unread: toExtras(leftoversOf(format, schemaFormat), { json_schema: inner }).extras?.fields,
  }
}
