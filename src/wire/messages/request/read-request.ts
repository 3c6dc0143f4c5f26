import { GatewayError } from '../../../canonical/failure.ts'
import type { ChatRequest, OutputFormat } from '../../../canonical/request.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { type FieldTable, leftoversOf } from '../../fields/field-table.ts'
import { joinPath } from '../../fields/read-field.ts'
import { limitSchemaSize } from '../../limit-schema-size.ts'
import { readExtras } from '../values/extras.ts'
import {
  invalidField,
  missingField,
  readArray,
  readBoolean,
  readInteger,
  readObject,
  readShare,
  readString,
  requireObject,
  requireString,
} from '../values/field-readers.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { readMessages, readSystem } from './read-messages.ts'
import { readReasoning } from './read-reasoning.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import {
  metadataFields,
  olderRequestFields,
  outputConfigFields,
  outputFormatFields,
  requestFields,
} from './request-fields.ts'

const knownFields: FieldTable = { ...requestFields, ...olderRequestFields }

/** Reads the body of `POST /v1/messages`. Throws `GatewayError` (400) on a body that the format forbids. */
export function readRequest(body: JsonObject): ChatRequest {
  return runToEnd(readRequestInSteps(body))
}

export function* readRequestInSteps(body: JsonObject): Steps<ChatRequest> {
  refuseThread(body)
  const outputConfig = readObject(body, 'output_config', '') ?? {}
  const metadata = readObject(body, 'metadata', '') ?? {}
  const tools = readTools(body)
  const choice = readToolChoice(body)
  const thinking = readReasoning(body, outputConfig)
  const format = readOutputFormat(body, outputConfig)
  const endUser = readString(metadata, 'user_id', 'metadata')
  const { mark, leftovers } = readCacheControl(body, '')
  const request: ChatRequest = {
    model: requireString(body, 'model', ''),
    turns: [...readSystem(body), ...(yield* readMessages(body))],
    stream: readBoolean(body, 'stream', '') ?? false,
    ...(tools === undefined ? {} : { tools }),
    ...choice.named,
    ...readSampling(body),
    ...(format.outputFormat === undefined ? {} : { outputFormat: format.outputFormat }),
    ...(thinking.reasoning === undefined ? {} : { reasoning: thinking.reasoning }),
    ...(endUser === undefined ? {} : { endUser }),
    ...mark,
    ...readExtras(body, knownFields, {
      tool_choice: choice.leftovers,
      thinking: thinking.leftovers,
      output_config: outputLeftovers(outputConfig, format.leftovers),
      metadata: leftoversOf(metadata, metadataFields),
      cache_control: leftovers,
    }),
  }
  return limitSchemaSize(request, { tools: 'tools', output: 'output_config.format' })
}

/**
 * Refuses conversations stored by the server, which only a provider can store. The tool runner of the official SDK asks
 * for them, and continues without them when it gets exactly this error (`ThreadState` of @anthropic-ai/sdk, seen
 * 2026-11-20).
 */
function refuseThread(body: JsonObject): void {
  if (body['thread'] === undefined || body['thread'] === null) return
  throw new GatewayError('thread_unsupported', {
    param: 'thread',
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  })
}

function readSampling(body: JsonObject): Partial<ChatRequest> {
  const maxOutputTokens = readInteger(body, 'max_tokens', { path: '', min: 0 })
  if (maxOutputTokens === undefined) throw missingField('max_tokens')
  const temperature = readShare(body, 'temperature', '')
  const topP = readShare(body, 'top_p', '')
  const topK = readInteger(body, 'top_k', { path: '', min: 0 })
  const stopSequences = readStopSequences(body)
  const serviceTier = readString(body, 'service_tier', '')
  return {
    maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(stopSequences === undefined ? {} : { stopSequences }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
  }
}

function readStopSequences(body: JsonObject): readonly string[] | undefined {
  return readArray(body, 'stop_sequences', '')?.map((item, index) => {
    if (typeof item === 'string') return item
    throw invalidField(joinPath('stop_sequences', index), 'a string')
  })
}

function outputLeftovers(outputConfig: JsonObject, format: JsonObject | undefined): JsonObject | undefined {
  const others = leftoversOf(outputConfig, outputConfigFields)
  return format === undefined ? others : { ...others, format }
}

interface ReadOutputFormat {
  readonly outputFormat?: OutputFormat
  /** Fields that the canonical form does not have. */
  readonly leftovers?: JsonObject | undefined
}

/** Reads the output format from `output_config.format` or from `output_format`, its older name. */
function readOutputFormat(body: JsonObject, outputConfig: JsonObject): ReadOutputFormat {
  const older = readObject(body, 'output_format', '')
  const newer = readObject(outputConfig, 'format', 'output_config')
  if (older !== undefined && newer !== undefined) {
    throw invalidField('output_format', 'left out where "output_config.format" is given')
  }
  if (newer !== undefined) return readFormat(newer, 'output_config.format')
  return older === undefined ? {} : readFormat(older, 'output_format')
}

function readFormat(object: JsonObject, path: string): ReadOutputFormat {
  const type = requireString(object, 'type', path)
  if (type !== 'json_schema') throw invalidField(joinPath(path, 'type'), '"json_schema"')
  const schema = requireObject(object, 'schema', path)
  const leftovers = leftoversOf(object, outputFormatFields)
  return { outputFormat: { type: 'json-schema', schema }, leftovers }
}
