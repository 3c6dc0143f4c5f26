import { isJsonObject, type JsonObject, type JsonValue } from '../kit/json.ts'
import { parseJson } from '../kit/parse-json.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from './content.ts'
import { type Extras, type FieldOwner, operationIds } from './format.ts'

/**
 * How the chat format names reasoning of the responses format, in the `format` of a detail
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, seen 2026-11-20).
 */
export const RESPONSES_REASONING = 'openai-responses-v1'

/** The same for reasoning of the Gemini format. */
export const GEMINI_REASONING = 'google-gemini-v1'

/** What a packed proof begins with; no provider's own begins so. */
const PREFIX = 'headgate.1.'

/**
 * The proof of reasoning that another format's provider made, as one opaque text: a client that returns it unchanged
 * brings it back to its maker, whatever format the client speaks. The words of the reasoning are not in it.
 */
export function packReasoning(block: ThinkingBlock | RedactedThinkingBlock): string {
  const { type, extras } = block
  const proof = type === 'thinking' ? { signature: block.signature } : { data: block.data }
  const fields = { type, ...proof, ...(extras === undefined ? {} : { extras }) }
  return PREFIX + Buffer.from(JSON.stringify(fields), 'utf8').toString('base64url')
}

/** The reasoning whose proof was packed; undefined where the text is a provider's own proof. Never throws. */
export function unpackReasoning(
  proof: string,
  text: string,
): ThinkingBlock | RedactedThinkingBlock | undefined {
  if (!proof.startsWith(PREFIX)) return undefined
  const packed = parseOrNothing(Buffer.from(proof.slice(PREFIX.length), 'base64url').toString('utf8'))
  if (!isJsonObject(packed)) return undefined
  const { type, signature, data } = packed
  const extras = readExtras(packed['extras'])
  if (type === 'thinking' && typeof signature === 'string') return { type, text, signature, ...extras }
  if (type === 'redacted-thinking' && typeof data === 'string') return { type, data, ...extras }
  return undefined
}

const fieldOwners: readonly FieldOwner[] = [...operationIds, 'gemini']

function readExtras(value: JsonValue | undefined): Pick<ThinkingBlock, 'extras'> {
  if (!isJsonObject(value)) return {}
  const format = fieldOwners.find((id) => id === value['format'])
  const fields: JsonValue | undefined = value['fields']
  return format === undefined || !isJsonObject(fields) ? {} : { extras: { format, fields } }
}

/**
 * Whether the responses format's provider made it. The chat format says so in a detail's `format`; what nobody marks
 * was made elsewhere.
 */
export function isResponsesReasoning({ extras }: ThinkingBlock | RedactedThinkingBlock): boolean {
  if (extras?.format === 'responses') return true
  return extras?.format === 'chat' && extras.fields['format'] === RESPONSES_REASONING
}

/** Whether the Gemini format's provider made it, marked likewise. */
export function isGeminiReasoning({ extras }: ThinkingBlock | RedactedThinkingBlock): boolean {
  if (extras?.format === 'gemini') return true
  return extras?.format === 'chat' && extras.fields['format'] === GEMINI_REASONING
}

/** The detail's own fields for reasoning of the responses format, in the chat format's words. */
export function responsesReasoningDetail({ extras }: ThinkingBlock | RedactedThinkingBlock): JsonObject {
  const id = extras?.fields['id']
  return { format: RESPONSES_REASONING, ...(typeof id === 'string' ? { id } : {}) }
}

/** What of a block's own fields would be lost in another format: the id of an item is none of it. */
export function unnamedReasoning({ extras }: ThinkingBlock | RedactedThinkingBlock): Extras | undefined {
  if (extras?.format !== 'responses') return extras
  const { id: _id, ...fields } = extras.fields
  return Object.keys(fields).length === 0 ? undefined : { ...extras, fields }
}

function parseOrNothing(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
