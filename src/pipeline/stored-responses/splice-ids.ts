import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { StoredAnswerForm } from '../../wire/answer-form.ts'

/** An ID that the provider gave, and the ID that its caller knows. */
export interface IdChange {
  readonly field: 'id' | 'previous_response_id'
  readonly from: string
  readonly to: string
}

/** The IDs of a response that its caller knows by other names. */
export function idChangesFor(response: JsonObject, form: StoredAnswerForm): readonly IdChange[] {
  const { id, previous_response_id: previous } = response
  const changes: IdChange[] = []
  if (typeof id === 'string' && id !== '') changes.push({ field: 'id', from: id, to: form.id })
  if (typeof previous === 'string' && form.previousResponseId !== undefined)
    changes.push({ field: 'previous_response_id', from: previous, to: form.previousResponseId })
  return changes.filter(({ from, to }) => from !== to)
}

/**
 * Changes these IDs of a response in its JSON bytes. Every other byte stays the same. IDs are unique, so the first
 * field with the right name and value belongs to the response. A value that is written with escapes is not found in
 * this way. `rewrite` then writes the whole JSON again.
 */
export function spliceIds(bytes: Buffer, changes: readonly IdChange[], rewrite: () => Buffer): Buffer {
  let spliced = bytes
  for (const change of changes) {
    const offset = findValue(spliced, change)
    if (offset === undefined) return rewrite()
    spliced = Buffer.concat([
      spliced.subarray(0, offset),
      Buffer.from(change.to, 'utf8'),
      spliced.subarray(offset + change.from.length),
    ])
  }
  return spliced
}

/** The offset of the value, after its opening quote. */
function findValue(bytes: Buffer, { field, from }: IdChange): number | undefined {
  const value = Buffer.from(`"${from}"`, 'utf8')
  const name = `"${field}"`
  for (let at = bytes.indexOf(value); at !== -1; at = bytes.indexOf(value, at + 1)) {
    const colon = skipBlankBefore(bytes, at)
    if (bytes[colon - 1] !== 0x3a) continue
    const end = skipBlankBefore(bytes, colon - 1)
    const start = end - name.length
    if (start >= 0 && bytes.toString('latin1', start, end) === name && bytes[start - 1] !== 0x5c)
      return at + 1
  }
  return undefined
}

function skipBlankBefore(bytes: Buffer, end: number): number {
  let at = end
  while (at > 0 && isBlank(bytes[at - 1])) at -= 1
  return at
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/** Changes the IDs in a parsed value. */
export function changeIds(value: JsonObject, changes: readonly IdChange[]): JsonObject {
  const changed: Record<string, JsonValue | undefined> = { ...value }
  for (const { field, from, to } of changes) if (changed[field] === from) changed[field] = to
  return changed
}
