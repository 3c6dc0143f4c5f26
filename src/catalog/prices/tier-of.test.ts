import { expect, test } from 'vitest'
import { noUsage } from '../../canonical/usage.ts'
import { billedTier, tierOf } from './tier-of.ts'

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

test('an answer that names a speed is billed for it, whatever its tier', () => {
  expect(billedTier({ ...noUsage, speed: 'fast' }, 'standard')).toBe('fast')
  expect(billedTier(noUsage, 'flex')).toBe('flex')
  expect(billedTier(undefined, undefined)).toBe('standard')
})
