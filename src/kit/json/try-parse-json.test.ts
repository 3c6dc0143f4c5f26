import { expect, it } from 'vitest'
import { tryParseJson } from './try-parse-json.ts'

it('parses a text, and returns undefined for invalid JSON and numbers outside the range of a double', () => {
  expect(tryParseJson('{"a":[null]}')).toEqual({ a: [null] })
  expect(tryParseJson('null')).toBeNull()
  expect(['', '{"a"', '{"a":1e400}'].map(tryParseJson)).toEqual([undefined, undefined, undefined])
})
