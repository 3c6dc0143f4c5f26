import { type ChatRequest, efforts, type Reasoning } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { boundSchemas } from '../../bound-schemas.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  invalidField,
  readBoolean,
  readInteger,
  readNumber,
  readObject,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { readStop } from '../../openai/request/read-stop.ts'
import { readCacheField } from '../values/cache-control.ts'
import { toExtras } from '../values/extras.ts'
import { readMessages } from './read-messages.ts'
import { readResponseFormat } from './read-output-format.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import { requestFields, streamOptionsFields, vendorRequestFields } from './request-fields.ts'

const request = knownFields(requestFields, vendorRequestFields)
const streamOptions = knownFields(streamOptionsFields)
const ANY_INTEGER = { path: '', min: Number.MIN_SAFE_INTEGER }
const COUNT = { path: '', min: 1 }

/** Throws `GatewayError` with the `param` at fault. Ranges are left to the model that answers. */
export function readRequest(body: JsonObject): ChatRequest {
  const toolChoice = readToolChoice(body)
  const output = readResponseFormat(body)
  const effort = readEffort(body)
  const options = readObject(body, 'stream_options', '')
  const { mark, unread: unreadMark } = readCacheField(body)
  const read = omitUndefined({
    model: requireString(body, 'model', ''),
    turns: readMessages(body),
    stream: readBoolean(body, 'stream', '') ?? false,
    streamUsage: options === undefined ? undefined : readBoolean(options, 'include_usage', 'stream_options'),
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
  return boundSchemas(read, { tools: 'tools', output: 'response_format' })
}

function readSampling(body: JsonObject) {
  return {
    maxOutputTokens: readOutputCap(body),
    temperature: readNumber(body, 'temperature', ''),
    topP: readNumber(body, 'top_p', ''),
    topK: readInteger(body, 'top_k', ANY_INTEGER),
    presencePenalty: readNumber(body, 'presence_penalty', ''),
    frequencyPenalty: readNumber(body, 'frequency_penalty', ''),
    seed: readInteger(body, 'seed', ANY_INTEGER),
    stopSequences: readStop(body),
    choices: readInteger(body, 'n', COUNT),
    logprobs: readBoolean(body, 'logprobs', ''),
    topLogprobs: readInteger(body, 'top_logprobs', { path: '', min: 0 }),
    logitBias: readObject(body, 'logit_bias', ''),
  }
}

function readOutputCap(body: JsonObject): number | undefined {
  const older = readInteger(body, 'max_tokens', COUNT)
  const newer = readInteger(body, 'max_completion_tokens', COUNT)
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
