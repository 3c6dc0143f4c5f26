import { SEALED_PREFIX, sealedMark, sealedMarkInBase64 } from '../../canonical/carried-reasoning.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { watchedWords } from '../../kit/json/watched-words.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'

/**
 * Whether a body holds reasoning that the gateway sealed. Every provider would refuse such reasoning, so the body is
 * then read and written in its own format. The bytes are searched before they are parsed. If they hold the mark, the
 * body is parsed, since the mark matters only where a signature can be, and not in a caller's text.
 */
export function holdsSealedReasoning(scanned: ScannedRequest): boolean {
  if (!mayHoldSealedReasoning(scanned)) return false
  const body = tryParse(scanned)
  if (body === undefined) return true
  const { generateContentRequest: inner } = body
  const bodies = isJsonObject(inner) ? [body, inner] : [body]
  return bodies.flatMap(assistantTurns).some(holdsSignature)
}

/** Whether the bytes of a body contain the mark, be it in a signature or in a caller's text. */
export function mayHoldSealedReasoning({ body }: ScannedRequest): boolean {
  if (!body.mayHold(signatureWords)) return false
  return body.includes(sealedMark) || body.includes(sealedMarkInBase64)
}

/** Undefined where the body cannot be parsed. The body's reader then reports the error. */
function tryParse(scanned: ScannedRequest): JsonObject | undefined {
  try {
    return parseBody(scanned)
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** The turns and items that a caller returns from an earlier answer, in any format. */
function assistantTurns({ messages, contents, input }: JsonObject): readonly JsonObject[] {
  const items = [messages, contents, input].flatMap((list) => (isJsonArray(list) ? list : []))
  return items
    .filter(isJsonObject)
    .filter(({ role, type }) => role === 'assistant' || role === 'model' || type === 'reasoning')
}

/** The members in which the formats carry a reasoning signature, or the index of a citation that the gateway added. */
const signatureNames = [
  'data',
  'encrypted_content',
  'encrypted_index',
  'signature',
  'thoughtSignature',
  'thought_signature',
] as const
const signatureFields: ReadonlySet<string> = new Set(signatureNames)
const signatureWords = watchedWords({ names: signatureNames })

/** The fields with the model's input for a tool, which may be anything. */
const inputs: ReadonlySet<string> = new Set(['args', 'arguments', 'input'])

const SEALED_IN_BASE64 = sealedMarkInBase64.toString('utf8')

function holdsSignature(turn: JsonObject): boolean {
  const left: JsonValue[] = [turn]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (isJsonArray(value)) for (const item of value) left.push(item)
    if (!isJsonObject(value)) continue
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string') {
        if (signatureFields.has(name) && isSealed(member)) return true
      } else if (member !== undefined && !inputs.has(name)) left.push(member)
    }
  }
  return false
}

function isSealed(signature: string): boolean {
  return signature.startsWith(SEALED_PREFIX) || signature.startsWith(SEALED_IN_BASE64)
}
