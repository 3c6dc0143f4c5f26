import { expect, it } from 'vitest'
import { tryParseJson } from './try-parse-json.ts'

it('gives what the text holds, and undefined for text that holds no JSON or a number beyond any double', () => {
  expect(tryParseJson('{"a":[null]}')).toEqual({ a: [null] })
  expect(tryParseJson('null')).toBeNull()
  expect(['', '{"a"', '{"a":1e400}'].map(tryParseJson)).toEqual([undefined, undefined, undefined])
})
