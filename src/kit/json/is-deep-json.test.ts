import { expect, it } from 'vitest'
import { isDeepJson } from './is-deep-json.ts'

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

it('allows 64 levels and no more', () => {
  expect(isDeepJson(nested(64))).toBe(false)
  expect(isDeepJson(nested(65))).toBe(true)
  expect(isDeepJson('['.repeat(50_000))).toBe(true)
})

it('counts neither brackets in strings nor sibling containers', () => {
  expect(isDeepJson(JSON.stringify({ text: `"\\${'['.repeat(500)}` }))).toBe(false)
  expect(isDeepJson(JSON.stringify(Array.from({ length: 500 }, () => [{}])))).toBe(false)
  expect(isDeepJson('no JSON at all')).toBe(false)
})
