import { type ChatRequest, efforts, type Reasoning } from '../../../canonical/request.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  readArray,
  readBoolean,
  readInteger,
  readNumber,
  readObject,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { limitSchemaSize } from '../../limit-schema-size.ts'
import { toExtras } from '../values/extras.ts'
import { nameChoice } from './name-choice.ts'
import { readMessages } from './read-messages.ts'
import { readTextSettings } from './read-text.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import { refuseStoredState } from './refuse-stored-state.ts'
import { reasoningFields, requestFields, streamOptionsFields } from './request-fields.ts'

const request = knownFields(requestFields)
const streamOptions = knownFields(streamOptionsFields)
const reasoningField = knownFields(reasoningFields)

/** This `include` entry asks for data that every written answer contains anyway. */
const ENCRYPTED = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'

/**
 * Throws `GatewayError` with the `param` at fault. The ranges of values are not checked, since the model that answers
 * checks them.
 */
export function readRequest(body: JsonObject): ChatRequest {
  return runToEnd(readRequestInSteps(body))
}

export function* readRequestInSteps(body: JsonObject): Steps<ChatRequest> {
  refuseStoredState(body)
  const tools = readTools(body)
  const toolChoice = readToolChoice(body)
  const text = readTextSettings(body)
  const reasoning = readReasoning(body)
  const include = readInclude(body)
  const options = readObject(body, 'stream_options', '')
  const truncation = readString(body, 'truncation', '')
  const read = omitUndefined({
    model: requireString(body, 'model', ''),
    turns: yield* readMessages(body),
    stream: readBoolean(body, 'stream', '') ?? false,
    tools,
    toolChoice: nameChoice(toolChoice.choice, tools),
    parallelToolCalls: readBoolean(body, 'parallel_tool_calls', ''),
    maxOutputTokens: readInteger(body, 'max_output_tokens', { path: '', min: 1 }),
    temperature: readNumber(body, 'temperature', ''),
    topP: readNumber(body, 'top_p', ''),
    logprobs: include.logprobs,
    topLogprobs: readInteger(body, 'top_logprobs', { path: '', min: 0 }),
    outputFormat: text.format,
    reasoning: reasoning.reasoning,
    verbosity: text.verbosity,
    endUser: readString(body, 'user', ''),
    serviceTier: readString(body, 'service_tier', ''),
    ...toExtras(leftoversOf(body, request), {
      tool_choice: toolChoice.unread,
      text: text.unread,
      reasoning: reasoning.unread,
      include: include.unread,
      store: readBoolean(body, 'store', '') === true ? true : undefined,
      truncation: truncation === 'disabled' ? undefined : truncation,
      stream_options: options === undefined ? undefined : leftoversOf(options, streamOptions),
    }),
  })
  return limitSchemaSize(read, { tools: 'tools', output: 'text.format' })
}

interface ReadReasoning {
  readonly reasoning?: Reasoning | undefined
  readonly unread?: JsonObject | undefined
}

/** Every summary value except `none` is read as `summarized`. Values that only some models know stay unchanged. */
function readReasoning(body: JsonObject): ReadReasoning {
  const holder = readObject(body, 'reasoning', '')
  if (holder === undefined) return {}
  const word = readString(holder, 'effort', 'reasoning')
  const effort = efforts.find((known) => known === word)
  const summary =
    readString(holder, 'summary', 'reasoning') ?? readString(holder, 'generate_summary', 'reasoning')
  const isSummarized = summary !== undefined && summary !== 'none'
  const reasoning = omitUndefined({ effort, display: isSummarized ? ('summarized' as const) : undefined })
  const unread = toExtras(leftoversOf(holder, reasoningField), {
    effort: effort === undefined ? word : undefined,
    summary: summary === 'auto' ? undefined : summary,
  })
  return {
    reasoning: Object.keys(reasoning).length === 0 ? undefined : reasoning,
    unread: unread.extras?.fields,
  }
}

function readInclude(body: JsonObject): {
  readonly logprobs: true | undefined
  readonly unread: readonly JsonValue[] | undefined
} {
  const include = readArray(body, 'include', '') ?? []
  const unread = include.filter((name) => name !== ENCRYPTED && name !== LOGPROBS)
  return {
    logprobs: include.includes(LOGPROBS) ? true : undefined,
    unread: isJsonArray(unread) && unread.length > 0 ? unread : undefined,
  }
}
