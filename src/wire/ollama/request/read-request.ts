import type { ChatRequest, Turn } from '../../../canonical/request.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { type FieldTable, knownFields, leftoversOf } from '../../fields/field-table.ts'
import { invalidField, readBoolean, readString, requireString } from '../../fields/read-field.ts'
import { limitSchemaSize } from '../../limit-schema-size.ts'
import { toExtras } from '../values/extras.ts'
import { readImages } from './read-images.ts'
import { readMessages } from './read-messages.ts'
import { readLogprobs, readOptions, readOutputFormat, readThink } from './read-options.ts'
import { readTools } from './read-tools.ts'
import { chatFields, generateFields } from './request-fields.ts'

const chat = knownFields(chatFields)
const generate = knownFields(generateFields)
const schemas = { tools: 'tools', output: 'format' }

/** Reads `/api/chat`. Throws `GatewayError` with the `param` at fault. */
export function readChat(body: JsonObject): ChatRequest {
  return runToEnd(readChatInSteps(body))
}

export function* readChatInSteps(body: JsonObject): Steps<ChatRequest> {
  const turns = yield* readMessages(body)
  return limitSchemaSize(omitUndefined({ turns, tools: readTools(body), ...readCommon(body, chat) }), schemas)
}

/** Reads `/api/generate`. A prompt with its images is read as a conversation of one turn. */
export function readGenerate(body: JsonObject): ChatRequest {
  const system = readString(body, 'system', '') ?? ''
  const prompt = readString(body, 'prompt', '') ?? ''
  const images = readImages(body, '')
  if (prompt === '' && images.length === 0)
    throw invalidField('prompt', 'a text that is not empty: this gateway has no models to load')
  const words: Turn = {
    role: 'user',
    content: [...(prompt === '' ? [] : [{ type: 'text' as const, text: prompt }]), ...images],
  }
  const turns: readonly Turn[] =
    system === ''
      ? [words]
      : [{ role: 'system', authority: 'system', content: [{ type: 'text', text: system }] }, words]
  return limitSchemaSize({ turns, ...readCommon(body, generate) }, schemas)
}

function readCommon(body: JsonObject, known: FieldTable) {
  const { sampling, unread } = readOptions(body)
  return omitUndefined({
    model: requireString(body, 'model', ''),
    stream: readBoolean(body, 'stream', '') ?? true,
    ...sampling,
    ...readLogprobs(body),
    outputFormat: readOutputFormat(body),
    reasoning: readThink(body),
    ...toExtras(leftoversOf(withoutZeros(body, known), known), { options: unread }),
  })
}

/** Drops values that older clients send for "not set": an empty text, an empty list, false, zero. */
function withoutZeros(body: JsonObject, known: FieldTable): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => known[name] !== 'extras' || !isZero(value)),
  )
}

function isZero(value: JsonValue | undefined): boolean {
  return !value || (isJsonArray(value) && value.length === 0)
}
