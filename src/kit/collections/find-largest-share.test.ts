import { expect, it } from 'vitest'
import { findLargestShare } from './find-largest-share.ts'

function shareOf(items: readonly string[], newKey: string): readonly string[] | undefined {
  return findLargestShare(items, (item) => item.charAt(0), newKey)
}

it('the key with the most items makes room for a key that has then no more than it', () => {
  expect(shareOf(['a1', 'b1', 'a2', 'a3', 'b2'], 'c')).toEqual(['a1', 'a2', 'a3'])
  expect(shareOf(['a1', 'b1', 'a2', 'a3'], 'b')).toEqual(['a1', 'a2', 'a3'])
})

it('no key makes room for one that would then have more items', () => {
  expect(shareOf(['a1', 'b1', 'a2'], 'b')).toBeUndefined()
  expect(shareOf(['a1', 'a2'], 'a')).toBeUndefined()
  expect(shareOf(['a1', 'b1'], 'c')).toBeUndefined()
  expect(shareOf([], 'a')).toBeUndefined()
})
