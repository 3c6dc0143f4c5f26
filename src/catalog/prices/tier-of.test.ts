import { expect, test } from 'vitest'
import { tierOf } from './tier-of.ts'

test.each([
  [undefined, 'standard'],
  ['standard', 'standard'],
  ['auto', 'standard'],
  ['scale', 'standard'],
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['fast', 'fast'],
  [{ format: 'messages', word: 'batch' }, 'batch'],
  [{ format: 'responses', word: 'ultrafast' }, 'ultrafast'],
  [{ format: 'chat', word: 'constructor' }, 'standard'],
] as const)('an answer served at %j is billed as %s', (served, tier) => {
  expect(tierOf(served)).toBe(tier)
})
