import { SEALED_PREFIX, sealedMark, sealedMarkInBase64 } from '../../canonical/carried-reasoning.ts'
import { holdsBytes } from '../../kit/bytes/holds-bytes.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'

/**
 * Whether a body holds reasoning that was sealed here: whatever channel is asked now, its provider would refuse that, so
 * that the body is read and written in its own format. The bytes are searched first, which is cheap. Where they hold the
 * mark, the body is parsed: a mark counts only where a proof can stand, not in what a caller wrote.
 */
export function holdsReasoningSignature(scanned: ScannedRequest): boolean {
  const { chunks } = scanned.body
  if (!holdsBytes(chunks, sealedMark) && !holdsBytes(chunks, sealedMarkInBase64)) return false
  const body = tryParse(scanned)
  if (body === undefined) return true
  const { generateContentRequest: inner } = body
  const bodies = isJsonObject(inner) ? [body, inner] : [body]
  return bodies.flatMap(assistantTurns).some(holdsSignature)
}

/** Undefined where the body cannot be read, which its reader words. */
function tryParse(scanned: ScannedRequest): JsonObject | undefined {
  try {
    return parseBody(scanned)
  } catch {
    return undefined
  }
}

/** The turns and items that a caller brings back from an answer, in any format. */
function assistantTurns({ messages, contents, input }: JsonObject): readonly JsonObject[] {
  const items = [messages, contents, input].flatMap((list) => (isJsonArray(list) ? list : []))
  return items
    .filter(isJsonObject)
    .filter(({ role, type }) => role === 'assistant' || role === 'model' || type === 'reasoning')
}

/** The members under which the formats hold a proof of reasoning, or the index of a citation that we made. */
const signatureFields: ReadonlySet<string> = new Set([
  'data',
  'encrypted_content',
  'encrypted_index',
  'signature',
  'thoughtSignature',
  'thought_signature',
])

/** What the model wrote for a tool, which may be anything. */
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

function isSealed(proof: string): boolean {
  return proof.startsWith(SEALED_PREFIX) || proof.startsWith(SEALED_IN_BASE64)
}
