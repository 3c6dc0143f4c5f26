import type { BodyBytes } from '../kit/body-bytes.ts'
import type { FieldSpan, ScannedRequest } from './wire-format.ts'

/** A replacement of some bytes of a body. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The edit that gives a field a new value, or adds it as the first field where it is absent. Names are plain words. */
export function setField(scanned: ScannedRequest, name: string, json: string): Edit {
  const field: FieldSpan | undefined = scanned.fields.get(name)
  if (field !== undefined) return { start: field.valueStart, end: field.valueEnd, text: json }
  const comma = scanned.isEmpty ? '' : ','
  return { start: scanned.insertAt, end: scanned.insertAt, text: `"${name}":${json}${comma}` }
}

/** The body with edits that do not overlap, as parts in order; every other byte stays as it is, and where it is. */
export function spliceBody(body: BodyBytes, edits: readonly Edit[]): readonly Buffer[] {
  if (edits.length === 0) return body.chunks
  const inOrder = [...edits].sort((a, b) => a.start - b.start)
  const parts: Buffer[] = []
  let at = 0
  for (const edit of inOrder) {
    parts.push(...body.slice(at, edit.start), Buffer.from(edit.text, 'utf8'))
    at = edit.end
  }
  parts.push(...body.slice(at, body.length))
  return parts
}
