import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { StoredAnswerForm } from '../../wire/answer-form.ts'

/** An ID of the provider's own, and the one that its caller knows. */
export interface IdChange {
  readonly field: 'id' | 'previous_response_id'
  readonly from: string
  readonly to: string
}

/** The ids of a response that its caller knows by other names. */
export function idChangesFor(response: JsonObject, form: StoredAnswerForm): readonly IdChange[] {
  const { id, previous_response_id: previous } = response
  const changes: IdChange[] = []
  if (typeof id === 'string' && id !== '') changes.push({ field: 'id', from: id, to: form.id })
  if (typeof previous === 'string' && form.previousResponseId !== undefined)
    changes.push({ field: 'previous_response_id', from: previous, to: form.previousResponseId })
  return changes.filter(({ from, to }) => from !== to)
}

/**
 * JSON bytes with these ids of a response changed and every other byte as it is. Ids are unique by their
 * nature, so that the first field of the name with that very value is the response's; a value that is written
 * with escapes is not found so, and then `rewrite` gives the whole anew.
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

/** The offset of the value behind its opening quote. */
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

/** The same change in a value that was parsed. */
export function changeIds(value: JsonObject, changes: readonly IdChange[]): JsonObject {
  const changed: Record<string, JsonValue | undefined> = { ...value }
  for (const { field, from, to } of changes) if (changed[field] === from) changed[field] = to
  return changed
}
