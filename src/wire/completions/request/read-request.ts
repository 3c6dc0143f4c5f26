import { GatewayError } from '../../../canonical/failure.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { type FieldTable, leftoversOf } from '../../fields/field-table.ts'
import {
  invalidField,
  readBoolean,
  readInteger,
  readNumber,
  readObject,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { checkStreamOptions } from '../../openai/request/check-stream-options.ts'
import { readStop } from '../../openai/request/read-stop.ts'
import { toExtras } from '../values/extras.ts'
import { readPrompts } from './read-prompts.ts'
import { requestFields, vendorRequestFields } from './request-fields.ts'

/** All documented fields. Those that a conversation cannot carry are added to the extras one by one. */
const handled: FieldTable = Object.fromEntries(
  [requestFields, vendorRequestFields].flatMap((table) => Object.keys(table).map((name) => [name, 'named'])),
)
const ANY_INTEGER = { path: '', min: Number.MIN_SAFE_INTEGER }
const COUNT_BOUNDS = { path: '', min: 1 }

/** Reads the first of a body's prompts as a conversation. Throws the errors of `readRequests`. */
export function readRequest(body: JsonObject): ChatRequest {
  return readConversation(body, readPrompts(body['prompt'])[0])
}

/**
 * Reads each prompt as a conversation of one user turn. Without a cap from the caller, no cap is set. The 16 tokens
 * that OpenAI's service falls back to are a rule of that service. Most servers of the format have no such rule, and a
 * reasoning model would use up 16 tokens before its first word. Throws `GatewayError` with the `param` at fault.
 */
export function readRequests(body: JsonObject): readonly ChatRequest[] {
  return readPrompts(body['prompt']).map((prompt) => readConversation(body, prompt))
}

function readConversation(body: JsonObject, prompt: string): ChatRequest {
  checkStreamOptions(readObject(body, 'stream_options', ''))
  const topLogprobs = readInteger(body, 'logprobs', { path: '', min: 0 })
  const choices = readInteger(body, 'n', COUNT_BOUNDS)
  const isEchoed = readBoolean(body, 'echo', '') ?? false
  const echo = isEchoed && topLogprobs === undefined ? prompt : undefined
  return omitUndefined({
    model: requireString(body, 'model', ''),
    turns: [{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] }],
    stream: readBoolean(body, 'stream', '') ?? false,
    ...readSampling(body),
    choices,
    logprobs: topLogprobs === undefined ? undefined : true,
    topLogprobs,
    endUser: readString(body, 'user', ''),
    echo,
    ...toExtras(leftoversOf(withoutNulls(body), handled), {
      suffix: readString(body, 'suffix', '') || undefined,
      best_of: readBestOf(body, choices ?? 1),
      // Such an echo includes the log probabilities of the prompt's own tokens, which no conversation returns.
      echo: isEchoed && echo === undefined ? true : undefined,
    }),
  })
}

function readSampling(body: JsonObject) {
  const bias = readObject(body, 'logit_bias', '')
  return {
    maxOutputTokens: readOutputCap(body),
    temperature: readNumber(body, 'temperature', ''),
    topP: readNumber(body, 'top_p', ''),
    topK: readInteger(body, 'top_k', ANY_INTEGER),
    presencePenalty: readNumber(body, 'presence_penalty', ''),
    frequencyPenalty: readNumber(body, 'frequency_penalty', ''),
    seed: readInteger(body, 'seed', ANY_INTEGER),
    stopSequences: readStop(body),
    // LangChain always sends this field, usually empty (recorded traffic, 2024 to 2025).
    logitBias: bias === undefined || Object.keys(bias).length === 0 ? undefined : bias,
  }
}

/** Reads the output cap. A cap of zero, which only measures the prompt, is rejected. */
function readOutputCap(body: JsonObject): number | undefined {
  const cap = readInteger(body, 'max_tokens', { path: '', min: 0 })
  if (cap !== 0) return cap
  throw new GatewayError('cannot_be_carried', {
    param: 'max_tokens',
    message:
      'The channel for this model holds conversations and cannot answer with no tokens. Ask for at least one in "max_tokens".',
  })
}

/** Returns the number of candidates; undefined where it equals the number of returned answers. */
function readBestOf(body: JsonObject, choices: number): number | undefined {
  const candidates = readInteger(body, 'best_of', COUNT_BOUNDS)
  if (candidates === undefined || candidates === choices) return undefined
  if (candidates < choices) throw invalidField('best_of', 'at least "n"')
  return candidates
}

/** Drops fields that are null, which is the same as absent in this format. */
function withoutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}
