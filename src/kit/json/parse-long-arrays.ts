import type { Steps } from '../async/steps.ts'
import { systemRandom } from '../random/random.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { LongArray } from './scan-object.ts'

/**
 * Parses a text with known long arrays part by part, and pauses after each part. Throws `SyntaxError` where the text
 * is not JSON.
 */
export function* parseLongArrays(text: string, arrays: readonly LongArray[]): Steps<JsonValue> {
  const parsed: JsonValue[][] = []
  for (const array of arrays) parsed.push(yield* parseArray(text, array))
  const value: JsonValue = JSON.parse(frameOf(text, arrays))
  return isJsonObject(value) ? putBack(value, parsed) : value
}

function* parseArray(text: string, { start, end, cuts }: LongArray): Steps<JsonValue[]> {
  const values: JsonValue[] = []
  for (const [index, from] of [start, ...cuts].entries()) {
    const part: unknown = JSON.parse(`[${text.slice(from + 1, cuts[index] ?? end)}]`)
    // The part is a comma without an element after it.
    if (!isJsonArray(part) || part.length === 0) throw new SyntaxError('an element of an array is missing')
    for (const value of part) values.push(value)
    yield
  }
  return values
}

/** Prefix of the strings that represent arrays. It is random and secret, so no other string begins with it. */
const ARRAY_PREFIX = systemRandom.bytes(16).toString('hex')

/** The text with a string in place of each array. */
function frameOf(text: string, arrays: readonly LongArray[]): string {
  let frame = ''
  let from = 0
  for (const [index, { start, end }] of arrays.entries()) {
    frame += `${text.slice(from, start)}"${ARRAY_PREFIX}${index}"`
    from = end + 1
  }
  return frame + text.slice(from)
}

/** Puts the arrays back into `value`. The object was parsed for this call only, so it is changed in place. */
function putBack(value: JsonObject, arrays: readonly JsonValue[]): JsonObject {
  for (const [name, member] of Object.entries(value)) {
    // An array in place of a name is not JSON.
    if (name.startsWith(ARRAY_PREFIX)) throw new SyntaxError('a name of an object is an array')
    if (typeof member !== 'string' || !member.startsWith(ARRAY_PREFIX)) continue
    // The member is defined rather than assigned, since its name may be `__proto__`.
    Object.defineProperty(value, name, { value: arrays[Number(member.slice(ARRAY_PREFIX.length))] })
  }
  return value
}
