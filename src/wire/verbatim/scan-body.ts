import { GatewayError } from '../../canonical/failure.ts'
import { type BodyBytes, MAX_BODY_DEPTH, MAX_OBJECT_KEYS } from '../../kit/json/body-bytes.ts'
import { isPlainString } from '../../kit/json/json.ts'
import { type ScanFault, scanObject } from '../../kit/json/scan-object.ts'
import { MAX_NUMBER_CHARACTERS } from '../../kit/json/string-scanner.ts'
import type { Edit, FieldSpan, RequestTerms, ScannedRequest } from '../wire-format.ts'

/** The maximum number of JSON values in a conversation. Operations on lists of token IDs accept more. */
const MAX_VALUES = 100_000

/** The number of bytes that show whether a list is empty, with room for white space. */
const LIST_HEAD_BYTES = 64

const SPACE = 0x20
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/**
 * Scans a request body for the verbatim lane, without parsing it. `watched` are the top-level fields that affect
 * routing, behavior or price. Each must have its exact spelling, since a lax upstream would read `Model` as `model`.
 */
export function scanBody(
  body: BodyBytes,
  watched: ReadonlySet<string>,
  maxValues = MAX_VALUES,
): ScannedRequest {
  const { fields, insertAt, isEmpty } = scanFields(body, watched, maxValues)
  return {
    body,
    fields,
    insertAt,
    isEmpty,
    model: readModel(body, fields.get('model')),
    isStream: readBoolean(body, fields.get('stream'), 'stream') ?? false,
  }
}

/** Scans a body that contains neither the model nor `stream`. */
export function scanFields(
  body: BodyBytes,
  watched: ReadonlySet<string>,
  maxValues = MAX_VALUES,
): Omit<ScannedRequest, keyof RequestTerms> {
  if (!body.inspection.isUtf8) throw new GatewayError('invalid_utf8')
  if (body.inspection.scan.values > maxValues) throw tooManyValues(maxValues)
  const scanned = scanObject(body)
  if ('fault' in scanned) throw scanError(scanned, maxValues)
  for (const [folded, member] of scanned.members) {
    if (folded !== member.name && watched.has(folded)) {
      throw new GatewayError('invalid_field', {
        param: member.name,
        message: `The field "${member.name}" must be written "${folded}".`,
      })
    }
  }
  const fields = scanned.members
  return {
    body,
    fields,
    insertAt: scanned.insertAt,
    isEmpty: fields.size === 0,
  }
}

/** Parses one field's value. Throws `invalid_field` where the value is not JSON. */
export function fieldValue(body: BodyBytes, field: FieldSpan): unknown {
  const number = body.digitsOf(field)
  if (number !== undefined) return number
  const text = body.textOf(field)
  if (isPlainString(text)) return text.slice(1, -1)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new GatewayError(
      'invalid_field',
      { param: field.name, message: `The field "${field.name}" is not valid JSON.` },
      { cause },
    )
  }
}

function readModel(body: BodyBytes, field: FieldSpan | undefined): string {
  if (field === undefined) {
    throw new GatewayError('missing_field', {
      param: 'model',
      message: 'The field "model" is missing. GET /v1/models lists the models that this key may use.',
    })
  }
  const model = fieldValue(body, field)
  if (typeof model !== 'string' || model === '') {
    throw new GatewayError('invalid_field', {
      param: 'model',
      message: 'The field "model" must be a string that is not empty.',
    })
  }
  return model
}

/** Reads a boolean field; null is the same as absent. */
export function readBoolean(
  body: BodyBytes,
  field: FieldSpan | undefined,
  name: string,
): boolean | undefined {
  if (field === undefined) return undefined
  const text = body.textOf(field)
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return undefined
  throw new GatewayError('invalid_field', {
    param: name,
    message: `The field "${name}" must be true or false.`,
  })
}

/** Rejects a request without a message, which no channel could answer. Only the list's beginning is read. */
export function requireMessages({ body, fields }: ScannedRequest): void {
  const field = fields.get('messages')
  if (field === undefined) {
    throw new GatewayError('missing_field', {
      param: 'messages',
      message: 'The field "messages" is missing.',
    })
  }
  if (body.at(field.valueStart) === OPEN_BRACKET && holdsMore(body, field)) return
  throw new GatewayError('invalid_field', {
    param: 'messages',
    message: 'The field "messages" must be an array with at least one message.',
  })
}

/** Whether the list has an entry, judged by its first bytes. */
function holdsMore(body: BodyBytes, { valueStart, valueEnd }: FieldSpan): boolean {
  const until = Math.min(valueEnd, valueStart + LIST_HEAD_BYTES)
  for (let offset = valueStart + 1; offset < until; offset += 1) {
    const byte = body.at(offset) ?? 0
    if (byte > SPACE) return byte !== CLOSE_BRACKET
  }
  return true
}

export function scanError(fault: ScanFault, maxValues = MAX_VALUES): GatewayError {
  switch (fault.fault) {
    case 'not-object':
      return new GatewayError('body_not_object')
    case 'too-deep':
      return new GatewayError('json_too_deep', {
        message: `The body is nested more than ${MAX_BODY_DEPTH} levels deep.`,
      })
    case 'too-many-values':
      return tooManyValues(maxValues)
    case 'too-many-keys':
      return new GatewayError('json_too_complex', {
        message: `The body holds an object with more than ${MAX_OBJECT_KEYS} fields.`,
      })
    case 'long-number':
      return new GatewayError('invalid_json', {
        message: `The body holds a number of more than ${MAX_NUMBER_CHARACTERS} characters (at byte ${fault.offset}).`,
      })
    case 'duplicate':
      return new GatewayError('duplicate_field', {
        param: fault.name,
        message: `The field "${fault.name}" is present more than once in the body, letter case aside. Send it once.`,
      })
    case 'invalid-json':
      return new GatewayError('invalid_json', {
        message: `The body is not valid JSON (at byte ${fault.offset}).`,
      })
  }
}

function tooManyValues(maxValues: number): GatewayError {
  return new GatewayError('json_too_complex', {
    message: `The body holds more than ${maxValues} JSON values. Send it in several requests.`,
  })
}

/**
 * Returns the edit that gives a field a new value, or adds an absent field as the first one. The name must not need
 * escapes.
 */
export function setField(
  scanned: Pick<ScannedRequest, 'fields' | 'insertAt' | 'isEmpty'>,
  name: string,
  json: string,
): Edit {
  const field: FieldSpan | undefined = scanned.fields.get(name)
  if (field !== undefined) return { start: field.valueStart, end: field.valueEnd, text: json }
  const comma = scanned.isEmpty ? '' : ','
  return { start: scanned.insertAt, end: scanned.insertAt, text: `"${name}":${json}${comma}` }
}

const MAX_JOINED_BYTES = 65_536

/**
 * Applies edits that do not overlap, and returns the body as parts in order. Every other byte is unchanged. A large
 * body is not copied: the parts are views of the original bytes.
 */
export function spliceBody(body: BodyBytes, edits: readonly Edit[]): readonly Buffer[] {
  if (edits.length === 0) return body.chunks
  const inOrder = isInOrder(edits) ? edits : edits.toSorted(comparePositions)
  return body.length <= MAX_JOINED_BYTES ? [joinParts(body, inOrder)] : listParts(body, inOrder)
}

/** Compares the positions of two edits. An insertion before a field precedes the replacement of the field. */
function comparePositions(left: Edit, right: Edit): number {
  return left.start - right.start || left.end - right.end
}

function isInOrder(edits: readonly Edit[]): boolean {
  let end = 0
  for (const edit of edits) {
    if (edit.start < end) return false
    end = edit.end
  }
  return true
}

function joinParts(body: BodyBytes, edits: readonly Edit[]): Buffer {
  let length = body.length
  for (const { start, end, text } of edits) length += Buffer.byteLength(text) - (end - start)
  const joined = Buffer.allocUnsafe(length)
  let from = 0
  let at = 0
  for (const { start, end, text } of edits) {
    at += body.copyTo(joined.subarray(at), from, start)
    at += joined.write(text, at)
    from = end
  }
  body.copyTo(joined.subarray(at), from, body.length)
  return joined
}

function listParts(body: BodyBytes, edits: readonly Edit[]): readonly Buffer[] {
  const parts: Buffer[] = []
  let at = 0
  for (const { start, end, text } of edits) {
    parts.push(...body.slice(at, start), Buffer.from(text, 'utf8'))
    at = end
  }
  parts.push(...body.slice(at, body.length))
  return body.lend(parts)
}
