import type { Hash } from '../kit/hash.ts'
import { isJsonObject } from '../kit/json.ts'
import { findSession as findSessionBySigns } from '../routing/affinity.ts'
import { fieldValue } from '../wire/scan-body.ts'
import type { FieldSpan, ScannedRequest } from '../wire/wire-format.ts'
import type { Exchange } from './exchange.ts'

/** Fields of a body that stay as they are while a conversation grows, letter case folded away. */
const stableFields = [
  'system',
  'tools',
  'instructions',
  'systeminstruction',
  'system_instruction',
  'cachedcontent',
  'cached_content',
] as const
/** Where the turns of a conversation stand. */
const turnFields = ['messages', 'input', 'prompt', 'contents'] as const
/** No more than the beginning of each is looked at. */
const HEAD_BYTES = 2_048

/** What tells the exchange's conversation from others; only asked for where there is more than one place to go. */
export function findSession({ received, scanned, route }: Exchange): Hash | undefined {
  if (route.targets.length < 2) return undefined
  return findSessionBySigns({
    headers: received.headers,
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

function listStableParts(scanned: ScannedRequest): readonly Uint8Array[] {
  const { body, fields } = scanned
  const parts = stableFields.flatMap((name) => {
    const field = fields.get(name)
    return field === undefined ? [] : [headOf(scanned, field)]
  })
  const name = turnFields.find((each) => fields.has(each))
  const messages = name === undefined ? undefined : fields.get(name)
  if (messages === undefined) return parts
  const end = Math.min(messages.valueEnd, messages.valueStart + HEAD_BYTES)
  const head = Buffer.concat(body.slice(messages.valueStart, end))
  return [...parts, head.subarray(0, endOfFirstTurn(head))]
}

/** The beginning of a field, and its length for the rest. */
function headOf({ body }: ScannedRequest, { valueStart, valueEnd }: FieldSpan): Buffer {
  const head = body.slice(valueStart, Math.min(valueEnd, valueStart + HEAD_BYTES))
  return Buffer.concat([...head, Buffer.from(` ${valueEnd - valueStart}`)])
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Where the first message of the user ends in the JSON of a list of messages: what follows changes from call to call.
 * The whole length where it does not end in it. Goes over bytes, since it is done for every request with a choice.
 */
export function endOfFirstTurn(json: Buffer): number {
  let depth = 0
  let start = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1
      if (depth !== 1) continue
      if (/"role"\s*:\s*"user"/.test(json.toString('latin1', start, at))) return at
      start = at
    }
  }
  return json.length
}

/** The place of the quote that ends a string; the length where none does. */
function endOfString(json: Buffer, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return json.length
}

/** What is wrong with a field is said where the field is read. */
function tryValue<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
