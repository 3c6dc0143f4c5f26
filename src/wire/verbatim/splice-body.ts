import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { FieldSpan, ScannedRequest } from '../wire-format.ts'

/** A replacement of some bytes of a body. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The edit that gives a field a new value, or adds it as the first field where it is absent. Names need no escapes. */
export function setField(scanned: ScannedRequest, name: string, json: string): Edit {
  const field: FieldSpan | undefined = scanned.fields.get(name)
  if (field !== undefined) return { start: field.valueStart, end: field.valueEnd, text: json }
  const comma = scanned.isEmpty ? '' : ','
  return { start: scanned.insertAt, end: scanned.insertAt, text: `"${name}":${json}${comma}` }
}

/** Up to this size one piece is cheaper than a view of each part. */
const MAX_JOINED_BYTES = 65_536

/**
 * The body with edits that do not overlap, as parts in order; every other byte is unchanged. A large one is not copied:
 * the parts are views of the original bytes.
 */
export function spliceBody(body: BodyBytes, edits: readonly Edit[]): readonly Buffer[] {
  if (edits.length === 0) return body.chunks
  const inOrder = isInOrder(edits) ? edits : edits.toSorted((left, right) => left.start - right.start)
  return body.length <= MAX_JOINED_BYTES ? [joinParts(body, inOrder)] : listParts(body, inOrder)
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
    at = body.copyTo(joined, at, from, start)
    at += joined.write(text, at)
    from = end
  }
  body.copyTo(joined, at, from, body.length)
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
  return parts
}
