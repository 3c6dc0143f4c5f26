import { type ChatRequest, efforts, type OutputFormat, type Reasoning } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  readArray,
  readBoolean,
  readInteger,
  readNumber,
  readObject,
  readString,
} from '../../fields/read-field.ts'
import { readStopSequences } from '../../fields/read-stop-sequences.ts'
import { toExtras } from '../values/extras.ts'
import { withOwnNames } from './own-names.ts'
import { readSchema } from './read-schema.ts'
import { generationConfigFields, moreGenerationConfigFields, thinkingConfigFields } from './request-fields.ts'

const PATH = 'generationConfig'
const tables = [generationConfigFields, moreGenerationConfigFields] as const
const known = knownFields(...tables)
const thinkingConfig = knownFields(thinkingConfigFields)

export interface ReadConfig {
  readonly fields: Partial<ChatRequest>
  /** The fields that the canonical form has no name for. */
  readonly unread?: JsonObject | undefined
}

export function readGenerationConfig(body: JsonObject): ReadConfig {
  const source = readObject(body, PATH, '')
  if (source === undefined) return { fields: {} }
  const config = withOwnNames(source, ...tables)
  const integer = (name: string, min: number) => readInteger(config, name, { path: PATH, min })
  const output = readOutputFormat(config)
  const thinking = readThinking(config)
  const fields = omitUndefined({
    maxOutputTokens: integer('maxOutputTokens', 1),
    temperature: readNumber(config, 'temperature', PATH),
    topP: readNumber(config, 'topP', PATH),
    topK: readNumber(config, 'topK', PATH),
    presencePenalty: readNumber(config, 'presencePenalty', PATH),
    frequencyPenalty: readNumber(config, 'frequencyPenalty', PATH),
    seed: integer('seed', Number.MIN_SAFE_INTEGER),
    stopSequences: readStopSequences(config, PATH),
    choices: integer('candidateCount', 1),
    logprobs: readBoolean(config, 'responseLogprobs', PATH),
    topLogprobs: integer('logprobs', 0),
    outputFormat: output.format,
    reasoning: thinking.reasoning,
  })
  const unread = toExtras(leftoversOf(config, known), {
    responseMimeType: output.unread,
    responseModalities: readModalities(config),
    thinkingConfig: thinking.unread,
  })
  return { fields, unread: unread.extras?.fields }
}

/** The requested modalities. Undefined for text only, which is the default of every answer. */
function readModalities(config: JsonObject): JsonValue | undefined {
  const modalities = readArray(config, 'responseModalities', PATH)
  const isPlain =
    modalities === undefined || modalities.every((one) => typeof one === 'string' && /^text$/i.test(one))
  return isPlain ? undefined : modalities
}

interface ReadFormat {
  readonly format?: OutputFormat | undefined
  readonly unread?: string | undefined
}

function readOutputFormat(config: JsonObject): ReadFormat {
  const mimeType = readString(config, 'responseMimeType', PATH)
  const own = readObject(config, 'responseSchema', PATH)
  const schema =
    readObject(config, 'responseJsonSchema', PATH) ??
    readObject(config, '_responseJsonSchema', PATH) ??
    (own === undefined ? undefined : readSchema(own))
  const isJson = mimeType === undefined || mimeType === 'application/json'
  const unread = isJson || mimeType === 'text/plain' ? undefined : mimeType
  if (schema !== undefined) return { format: { type: 'json-schema', schema }, unread }
  if (mimeType === 'text/plain') return { format: { type: 'text' } }
  return mimeType === 'application/json' ? { format: { type: 'json' } } : { unread }
}

interface ReadThinking {
  readonly reasoning?: Reasoning | undefined
  readonly unread?: JsonObject | undefined
}

/** A budget of 0 turns thinking off. A budget of -1, or `includeThoughts` without more, lets the model decide. */
function readThinking(config: JsonObject): ReadThinking {
  const source = readObject(config, 'thinkingConfig', PATH)
  if (source === undefined) return {}
  const path = `${PATH}.thinkingConfig`
  const holder = withOwnNames(source, thinkingConfigFields)
  const budget = readInteger(holder, 'thinkingBudget', { path, min: -1 })
  const level = readString(holder, 'thinkingLevel', path)
  const shown = readBoolean(holder, 'includeThoughts', path)
  const effort = efforts.find((word) => word === level?.toLowerCase())
  const isSaid = effort === undefined && level !== undefined && level !== 'THINKING_LEVEL_UNSPECIFIED'
  const isDynamic = budget === -1 || (shown === true && budget === undefined && level === undefined)
  const reasoning = omitUndefined({
    mode: budget === 0 ? ('off' as const) : isDynamic ? ('adaptive' as const) : undefined,
    budgetTokens: budget === undefined || budget < 1 ? undefined : budget,
    effort,
    display: shown === undefined ? undefined : shown ? ('summarized' as const) : ('omitted' as const),
  })
  return {
    reasoning: Object.keys(reasoning).length === 0 ? undefined : reasoning,
    unread: toExtras(leftoversOf(holder, thinkingConfig), { thinkingLevel: isSaid ? level : undefined })
      .extras?.fields,
  }
}
