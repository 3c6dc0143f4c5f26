import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonValue } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import { isSameJson } from './is-same-json.ts'

it('says the same as comparing what both are written as', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => parseJson(JSON.stringify(value)))
  const small = fc.constantFrom<JsonValue>(
    {},
    [],
    { a: 1 },
    { b: 1 },
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    [1],
    '1',
    1,
    null,
  )
  const pair = fc.oneof(
    fc.tuple(json, json),
    fc.tuple(small, small),
    // Parsed twice: a clone of a long integer would lose that it is one.
    json.map((value): [JsonValue, JsonValue] => [value, parseJson(JSON.stringify(value))]),
  )
  fc.assert(
    fc.property(pair, ([left, right]) => {
      expect(isSameJson(left, right)).toBe(JSON.stringify(left) === JSON.stringify(right))
    }),
    { numRuns: 1_000 },
  )
})

it('looks at every digit of long integers', () => {
  const long = '{"id":12345678901234567890}'
  expect(isSameJson(parseJson(long), parseJson(long))).toBe(true)
  expect(isSameJson(parseJson(long), parseJson('{"id":12345678901234567891}'))).toBe(false)
})
