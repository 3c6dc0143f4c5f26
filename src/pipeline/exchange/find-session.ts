import { GatewayError } from '../../canonical/failure.ts'
import type { Hash } from '../../kit/bytes/hash.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { findSessionByHints, type PromptPart } from '../../routing/order/affinity.ts'
import { fieldValue } from '../../wire/verbatim/scan-body.ts'
import type { FieldSpan, ScannedRequest } from '../../wire/wire-format.ts'
import type { Exchange } from './exchange.ts'

/** Body fields that do not change while a conversation grows. Letter case is ignored. */
const stableFields = [
  'system',
  'tools',
  'instructions',
  'systeminstruction',
  'system_instruction',
  'cachedcontent',
  'cached_content',
] as const
/** The fields that may hold the turns of a conversation. */
const turnFields = ['messages', 'input', 'prompt', 'contents'] as const
/** The maximum number of bytes that are read from the beginning of each field. */
const HEAD_BYTES = 2_048

/** Identifies the exchange's conversation. */
export function findSession({ callerRequest, scanned }: Exchange): Hash | undefined {
  return findSessionByHints({
    headers: callerRequest.headers,
    promptCacheKey: textOf(scanned, 'prompt_cache_key'),
    userId: userIdOf(scanned),
    prefix: listStableParts(scanned),
  })
}

function textOf(scanned: ScannedRequest, name: string): string | undefined {
  const field = scanned.fields.get(name)
  const value = field === undefined ? undefined : tryValue(() => fieldValue(scanned.body, field))
  return typeof value === 'string' ? value : undefined
}

function userIdOf(scanned: ScannedRequest): string | undefined {
  const field = scanned.fields.get('metadata')
  const metadata = field === undefined ? undefined : tryValue(() => fieldValue(scanned.body, field))
  const userId = isJsonObject(metadata) ? metadata['user_id'] : undefined
  return typeof userId === 'string' ? userId : undefined
}

function listStableParts({ body, fields }: ScannedRequest): readonly PromptPart[] {
  const parts: PromptPart[] = []
  for (const name of stableFields) {
    const field = fields.get(name)
    if (field !== undefined)
      parts.push({ head: headOf(body, field), length: field.valueEnd - field.valueStart })
  }
  const turns = findTurns(fields)
  if (turns !== undefined) {
    const head = headOf(body, turns)
    parts.push({ head, length: endOfFirstTurn(head) })
  }
  return parts
}

function findTurns(fields: ScannedRequest['fields']): FieldSpan | undefined {
  for (const name of turnFields) {
    const field = fields.get(name)
    if (field !== undefined) return field
  }
  return undefined
}

function headOf(body: BodyBytes, { valueStart, valueEnd }: FieldSpan): Buffer {
  const parts = body.slice(valueStart, Math.min(valueEnd, valueStart + HEAD_BYTES))
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
}

const QUOTE = 0x22
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

const role = Buffer.from('"role"')
const user = Buffer.from('"user"')

/**
 * The offset at which the user's first message ends in the JSON of a list of messages. The text after it changes from
 * call to call. Returns the whole length if the list does not complete the first message. The function reads bytes
 * because every request with a choice of targets needs it.
 */
export function endOfFirstTurn(json: Buffer): number {
  let depth = 0
  let isRole = false
  let isUser = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) {
      const end = endOfString(json, at)
      if (depth === 2) {
        isUser ||= isRole && holdsAt(json, at, user)
        isRole = holdsAt(json, at, role) && isName(json, end)
      }
      at = end
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1
      if (depth === 1 && isUser) return at
    }
  }
  return json.length
}

function holdsAt(json: Buffer, start: number, word: Buffer): boolean {
  for (let index = 0; index < word.length; index += 1) {
    if (json[start + index] !== word[index]) return false
  }
  return true
}

/** Whether the string that ends at this offset is the name of a field. */
function isName(json: Buffer, end: number): boolean {
  let at = end + 1
  while ((json[at] ?? COLON) <= SPACE) at += 1
  return json[at] === COLON
}

/** The index of the quote that ends a string, or the length of the bytes if no quote does. */
function endOfString(json: Buffer, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    if (!endsEscaped(json, at, start + 1)) return at
  }
  return json.length
}

/**
 * Reads a value; undefined if it is invalid. Errors of a field are reported where the field is read for the request.
 */
function tryValue<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

const BACKSLASH = 0x5c

/** Whether an odd number of backslashes precedes this offset. Bytes before `from` are not read. */
function endsEscaped(bytes: Buffer, offset: number, from: number): boolean {
  let at = offset - 1
  while (at >= from && bytes[at] === BACKSLASH) at -= 1
  return (offset - 1 - at) % 2 === 1
}
