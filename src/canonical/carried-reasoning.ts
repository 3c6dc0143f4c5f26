import { isJsonObject, type JsonObject, type JsonValue } from '../kit/json/json.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from './content.ts'
import { channelFormatIds, type Extras, type FieldOwner, operationIds } from './format.ts'

/**
 * The chat format's name of the responses format's reasoning, in the `format` of a detail
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, seen 2026-11-20).
 */
const RESPONSES_REASONING = 'openai-responses-v1'

/** The `format` of a detail with reasoning of the Gemini format. */
const GEMINI_REASONING = 'google-gemini-v1'

/** The prefix of a packed signature. No provider's own signature begins with it. */
const PREFIX = 'headgate.1.'

/**
 * The prefix of a signature that the pipeline sealed for a caller. It is in the field of a provider's own signature.
 * Its first character is rare in bodies, which are searched for it.
 */
export const SEALED_PREFIX = '~headgate.2.'

/**
 * Replaces the signature of unsigned thinking, where a format requires one. A body that returns it is parsed, like a
 * body with sealed signatures.
 */
export const UNSIGNED = `${SEALED_PREFIX}unsigned`

/** The bytes that every body with a sealed signature contains. */
export const sealedMark: Buffer = Buffer.from(SEALED_PREFIX, 'utf8')

/** The same bytes where signatures are in base64. The prefix fills whole groups of three bytes. */
export const sealedMarkInBase64: Buffer = Buffer.from(sealedMark.toString('base64'), 'utf8')

/** Whether the pipeline sealed this signature for a caller. No provider can verify a sealed signature. */
export function isSealedSignature(signature: string): boolean {
  return signature.startsWith(SEALED_PREFIX)
}

/**
 * Packs the signature of reasoning from another format's provider as one opaque text. A client that returns the text
 * unchanged brings it back to its provider, whatever format the client speaks. The text of the reasoning is not in
 * it. A sealed signature already contains all of that.
 */
export function packReasoning(block: ThinkingBlock | RedactedThinkingBlock): string {
  const { type, extras } = block
  const own = type === 'thinking' ? block.signature : block.data
  if (own !== undefined && isSealedSignature(own)) return own
  const signed = type === 'thinking' ? { signature: block.signature } : { data: block.data }
  const fields = { type, ...signed, ...(extras === undefined ? {} : { extras }) }
  return PREFIX + Buffer.from(JSON.stringify(fields), 'utf8').toString('base64url')
}

/**
 * Unpacks the reasoning of a packed signature. A sealed signature stays sealed. Undefined where the text is a
 * provider's own signature. Never throws.
 */
export function unpackReasoning(
  packedOrOwn: string,
  text: string,
): ThinkingBlock | RedactedThinkingBlock | undefined {
  if (isSealedSignature(packedOrOwn)) return readSealed(packedOrOwn, text)
  if (!packedOrOwn.startsWith(PREFIX)) return undefined
  const packed = tryParseJson(Buffer.from(packedOrOwn.slice(PREFIX.length), 'base64url').toString('utf8'))
  if (!isJsonObject(packed)) return undefined
  const { type, signature, data } = packed
  const extras = readExtras(packed['extras'])
  if (type === 'thinking' && typeof signature === 'string') return { type, text, signature, ...extras }
  if (type === 'redacted-thinking' && typeof data === 'string') return { type, data, ...extras }
  return undefined
}

/** Chooses the kind by which formats distinguish text that waits for its signature from a signature alone. */
function readSealed(sealed: string, text: string): ThinkingBlock | RedactedThinkingBlock {
  const start = sealed.lastIndexOf(PREFIX)
  const inner = start === -1 ? undefined : unpackReasoning(sealed.slice(start), '')
  if (inner?.type === 'thinking' || (inner === undefined && text !== '')) {
    return { type: 'thinking', text, signature: sealed }
  }
  return { type: 'redacted-thinking', data: sealed }
}

const fieldOwners: readonly FieldOwner[] = [...operationIds, ...channelFormatIds]

function readExtras(value: JsonValue | undefined): Pick<ThinkingBlock, 'extras'> {
  if (!isJsonObject(value)) return {}
  const format = fieldOwners.find((id) => id === value['format'])
  const fields: JsonValue | undefined = value['fields']
  return format === undefined || !isJsonObject(fields) ? {} : { extras: { format, fields } }
}

/**
 * Whether a provider of the responses format made the reasoning. The chat format marks such reasoning in a detail's
 * `format`. Unmarked reasoning came from another format.
 */
export function isResponsesReasoning({ extras }: ThinkingBlock | RedactedThinkingBlock): boolean {
  if (extras?.format === 'responses') return true
  return extras?.format === 'chat' && extras.fields['format'] === RESPONSES_REASONING
}

/** Whether a provider of the Gemini format made the reasoning, which the chat format marks in a detail's `format`. */
export function isGeminiReasoning({ extras }: ThinkingBlock | RedactedThinkingBlock): boolean {
  if (extras?.format === 'gemini') return true
  return extras?.format === 'chat' && extras.fields['format'] === GEMINI_REASONING
}

/**
 * The detail's own fields for reasoning of the responses and Gemini formats, as the chat format names them. Empty for
 * reasoning of other formats.
 */
export function makerDetail({ extras }: ThinkingBlock | RedactedThinkingBlock): JsonObject {
  if (extras?.format !== 'responses' && extras?.format !== 'gemini') return {}
  const { id } = extras.fields
  const format = extras.format === 'gemini' ? GEMINI_REASONING : RESPONSES_REASONING
  return { format, ...(typeof id === 'string' ? { id } : {}) }
}

/** The fields of a block that would be lost in another format, except the ID of an item or of a call. */
export function unnamedReasoning({ extras }: ThinkingBlock | RedactedThinkingBlock): Extras | undefined {
  if (extras?.format !== 'responses' && extras?.format !== 'gemini') return extras
  const { id: _id, ...fields } = extras.fields
  return Object.keys(fields).length === 0 ? undefined : { ...extras, fields }
}
