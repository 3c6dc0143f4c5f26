import type { Steps } from '../async/steps.ts'
import { isJsonArray, type JsonObject, type JsonValue } from './json.ts'

/** The approximate number of characters that are written in one step. */
const PART_CHARACTERS = 512 * 1024

/**
 * Writes the bytes of `JSON.stringify`, with pauses between the elements of arrays that are direct members of the
 * object.
 */
export function* stringifyInSteps(object: JsonObject): Steps<Buffer> {
  const parts: Buffer[] = []
  let text = ''
  for (const piece of piecesOf(object)) {
    text += piece
    if (text.length < PART_CHARACTERS) continue
    parts.push(Buffer.from(text))
    text = ''
    yield
  }
  parts.push(Buffer.from(text))
  return Buffer.concat(parts)
}

function* piecesOf(object: JsonObject): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* isJsonArray(value) ? elementsOf(value) : [JSON.stringify(value)]
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

function* elementsOf(list: readonly (JsonValue | undefined)[]): Generator<string> {
  let before = '['
  for (const value of list) {
    yield before + JSON.stringify(value ?? null)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
