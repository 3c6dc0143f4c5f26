import type { ChatRequest, OutputFormat } from '../../../canonical/request.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
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
import { readStopSequences } from '../../fields/read-stop-sequences.ts'
import { limitSchemaSize } from '../../limit-schema-size.ts'
import { toExtras } from '../values/extras.ts'
import { readMessages } from './read-messages.ts'
import { readModelFields } from './read-model-fields.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import { inferenceFields, requestFields } from './request-fields.ts'

const known = knownFields({ ...requestFields, model: 'named', stream: 'named' })
const inference = knownFields(inferenceFields)
const PATH = 'inferenceConfig'

/** Reads a request body. Throws `GatewayError` with the invalid `param`. The model that answers checks ranges. */
export function readRequest(body: JsonObject): ChatRequest {
  return runToEnd(readRequestInSteps(body))
}

export function* readRequestInSteps(body: JsonObject): Steps<ChatRequest> {
  const turns = yield* readMessages(body)
  const config = readObject(body, PATH, '') ?? {}
  const { reasoning, topK, unread: modelFields } = readModelFields(body)
  const output = readOutputFormat(body)
  const read = omitUndefined({
    model: requireString(body, 'model', ''),
    turns,
    stream: readBoolean(body, 'stream', '') ?? false,
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    maxOutputTokens: readInteger(config, 'maxTokens', { path: PATH, min: 1 }),
    temperature: readNumber(config, 'temperature', PATH),
    topP: readNumber(config, 'topP', PATH),
    topK,
    stopSequences: readStopSequences(config, PATH),
    outputFormat: output.format,
    reasoning,
    serviceTier: readTier(body),
    ...toExtras(withoutSequencePath(leftoversOf(body, known), config), {
      inferenceConfig: leftoversOf(config, inference),
      additionalModelRequestFields: modelFields,
      outputConfig: output.unread,
    }),
  })
  return limitSchemaSize(read, { tools: 'toolConfig.tools', output: 'outputConfig.textFormat' })
}

/** Drops the path `/stop_sequence`: the stop sequence is reported in the same field even if it is not requested. */
function withoutSequencePath(left: JsonObject | undefined, config: JsonObject): JsonObject | undefined {
  const { additionalModelResponseFieldPaths: paths, ...others } = left ?? {}
  if (!isJsonArray(paths) || config['stopSequences'] === undefined) return left
  const more = paths.filter((path) => path !== '/stop_sequence')
  return more.length === 0 ? others : { ...others, additionalModelResponseFieldPaths: more }
}

function readTier(body: JsonObject): string | undefined {
  const tier = readObject(body, 'serviceTier', '')
  return tier === undefined ? undefined : requireString(tier, 'type', 'serviceTier')
}

interface ReadFormat {
  readonly format?: OutputFormat
  readonly unread?: JsonValue
}

/** Reads the output format. The schema is JSON in a text. Other kinds of formats reach only channels of this format. */
function readOutputFormat(body: JsonObject): ReadFormat {
  const config = readObject(body, 'outputConfig', '') ?? {}
  const text = readObject(config, 'textFormat', 'outputConfig')
  if (text === undefined) return {}
  const path = 'outputConfig.textFormat'
  if (text['type'] !== 'json_schema') return { unread: { textFormat: text } }
  const structure = requireObject(text, 'structure', path)
  const inner = `${path}.structure.jsonSchema`
  const holder = requireObject(structure, 'jsonSchema', `${path}.structure`)
  const schema = tryParseJson(requireString(holder, 'schema', inner))
  if (!isJsonObject(schema)) throw invalidField(`${inner}.schema`, 'the text of a JSON Schema')
  return {
    format: omitUndefined({
      type: 'json-schema' as const,
      schema,
      name: readString(holder, 'name', inner),
      description: readString(holder, 'description', inner),
    }),
  }
}
