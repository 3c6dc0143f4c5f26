import { expect, it } from 'vitest'
import { encodeLargeTexts } from './encode-large-texts.ts'
import { parseJson } from './parse-json.ts'
import { isRawJson } from './raw-json.ts'

const text = 'grüße "\n\ud800'.repeat(10_000)

it('encodes large texts like JSON.stringify, at any depth', () => {
  const value = { text, more: [{ text }, 'small'], none: undefined, number: 1.5, flag: false, nil: null }
  expect(JSON.stringify(encodeLargeTexts(value))).toBe(JSON.stringify(value))
})

it('escapes a large text once, and leaves a small one unchanged', () => {
  const { large, small } = encodeLargeTexts({ large: text, small: 'x' })
  expect({ isRaw: large !== undefined && isRawJson(large), small }).toEqual({ isRaw: true, small: 'x' })
})

it('keeps integers that a double cannot hold', () => {
  const source = '{"wide":12345678901234567890}'
  const value = parseJson(source)
  expect(JSON.stringify(encodeLargeTexts({ value }))).toBe(`{"value":${source}}`)
})

it('keeps a member named __proto__', () => {
  const source = '{"__proto__":{"a":1}}'
  expect(JSON.stringify(encodeLargeTexts({ value: JSON.parse(source) }))).toBe(`{"value":${source}}`)
})
