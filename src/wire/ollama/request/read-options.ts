import type { OutputFormat, Reasoning } from '../../../canonical/request.ts'
import { efforts } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { invalidField, readBoolean, readInteger, readNumber, readObject } from '../../fields/read-field.ts'
import { readStop } from '../../openai/request/read-stop.ts'
import { optionFields } from './request-fields.ts'

const known = knownFields(optionFields)
const PATH = 'options'
const ANY_INTEGER = { path: PATH, min: Number.MIN_SAFE_INTEGER }

/**
 * Reads the sampling options of a request. All other options, which only a program that runs models has, are returned
 * as `unread`.
 */
export function readOptions(body: JsonObject) {
  const options = readObject(body, PATH, '') ?? {}
  const cap = readInteger(options, 'num_predict', ANY_INTEGER)
  const topK = readInteger(options, 'top_k', ANY_INTEGER)
  const sampling = {
    // -1 means "without limit", -2 "until the context is full".
    maxOutputTokens: cap === undefined || cap < 1 ? undefined : cap,
    temperature: readNumber(options, 'temperature', PATH),
    topP: readNumber(options, 'top_p', PATH),
    // 0 and less mean "among all tokens".
    topK: topK === undefined || topK < 1 ? undefined : topK,
    presencePenalty: readNumber(options, 'presence_penalty', PATH),
    frequencyPenalty: readNumber(options, 'frequency_penalty', PATH),
    seed: readInteger(options, 'seed', ANY_INTEGER),
    stopSequences: readStop(options, PATH),
  }
  return { sampling, unread: leftoversOf(options, known) }
}

/** Reads the settings for log probabilities, which are fields of the body itself. */
export function readLogprobs(body: JsonObject) {
  return omitUndefined({
    // `logprobs: false` is the same as leaving the field out.
    logprobs: readBoolean(body, 'logprobs', '') === true ? true : undefined,
    topLogprobs: readInteger(body, 'top_logprobs', { path: '', min: 0 }) || undefined,
  })
}

/** Reads `format`, which is `json` or a schema. Older clients send the empty text. */
export function readOutputFormat(body: JsonObject): OutputFormat | undefined {
  const format = body['format'] ?? ''
  if (format === '') return undefined
  if (format === 'json') return { type: 'json' }
  if (isJsonObject(format)) return { type: 'json-schema', schema: format }
  throw invalidField('format', '"json" or an object that is a JSON Schema')
}

/** Reads `think`. A word is an effort. True lets the model decide how much to think. */
export function readThink(body: JsonObject): Reasoning | undefined {
  const think = body['think'] ?? ''
  if (think === '') return undefined
  if (think === true) return { mode: 'adaptive' }
  if (think === false) return { mode: 'off' }
  const effort = efforts.find((word) => word === think)
  if (effort !== undefined) return { effort }
  throw invalidField('think', 'true, false, or one of "low", "medium" and "high"')
}
