import type { Hash } from '../kit/hash.ts'
import { isJsonObject } from '../kit/json.ts'
import { findSession as findSessionBySigns } from '../routing/affinity.ts'
import { fieldValue } from '../wire/scan-body.ts'
import type { FieldSpan, ScannedRequest } from '../wire/wire-format.ts'
import type { Exchange } from './exchange.ts'

/** Fields of a body that stay as they are while a conversation grows. */
const stableFields = ['system', 'tools', 'instructions'] as const
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
  const messages = fields.get('messages') ?? fields.get('input') ?? fields.get('prompt')
  if (messages === undefined) return parts
  const head = body.text(messages.valueStart, Math.min(messages.valueEnd, messages.valueStart + HEAD_BYTES))
  return [...parts, Buffer.from(head.slice(0, endOfFirstTurn(head)))]
}

/** The beginning of a field, and its length for the rest. */
function headOf({ body }: ScannedRequest, { valueStart, valueEnd }: FieldSpan): Buffer {
  const head = body.slice(valueStart, Math.min(valueEnd, valueStart + HEAD_BYTES))
  return Buffer.concat([...head, Buffer.from(` ${valueEnd - valueStart}`)])
}

/**
 * Where the first message of the user ends in the text of a list of messages: what follows changes from call to call.
 * The whole text where it does not end in it.
 */
export function endOfFirstTurn(text: string): number {
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth += 1
    if (token !== '}' && token !== ']') continue
    depth -= 1
    if (depth !== 1) continue
    if (/"role"\s*:\s*"user"/.test(text.slice(start, index))) return index
    start = index
  }
  return text.length
}

/** What is wrong with a field is said where the field is read. */
function tryValue<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
