import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { replaceModel } from '../../verbatim/replace-model.ts'
import { spliceBody } from '../../verbatim/scan-body.ts'
import type { Edit, FieldSpan, RequestChange, ScannedRequest } from '../../wire-format.ts'

/**
 * The caller's bytes with the model's name and the output cap changed. With a `shape`, the fields that a provider
 * requires replace the `model` field.
 */
export function spliceRequest(scanned: ScannedRequest, change: RequestChange): readonly Buffer[] {
  const { shape } = change
  const model = scanned.fields.get('model')
  if (shape === undefined || model === undefined) return replaceModel(scanned, change)
  const edits: Edit[] = [
    ...(change.capEdits ?? []),
    { start: model.nameStart, end: model.valueEnd, text: writeMembers(shape.modelReplacement) },
  ]
  const stream = scanned.fields.get('stream')
  if (shape.isStreamInPath && stream !== undefined) edits.push(removeField(scanned, stream))
  return spliceBody(scanned.body, edits)
}

/** The JSON of an object's members, without the braces. */
function writeMembers(fields: JsonObject): string {
  return JSON.stringify(fields).slice(1, -1)
}

/** Removes a field with the comma after it. For the last field, removes the comma before it. */
function removeField({ body }: ScannedRequest, { nameStart, valueEnd }: FieldSpan): Edit {
  const next = skipBlanks(body, valueEnd)
  if (byteAt(body, next) === COMMA) return { start: nameStart, end: next + 1, text: '' }
  return { start: skipBlanksBack(body, nameStart), end: valueEnd, text: '' }
}

const COMMA = 0x2c
const blanks: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])

function byteAt(body: BodyBytes, at: number): number | undefined {
  return body.slice(at, at + 1)[0]?.[0]
}

function skipBlanks(body: BodyBytes, from: number): number {
  let at = from
  while (at < body.length && blanks.has(byteAt(body, at))) at += 1
  return at
}

/** The position of the last non-blank byte before `from`, which is a comma. */
function skipBlanksBack(body: BodyBytes, from: number): number {
  let at = from - 1
  while (at > 0 && blanks.has(byteAt(body, at))) at -= 1
  return at
}
