import { expect, it } from 'vitest'
import { createLossList } from './loss.ts'

it('groups losses by feature and lists each field once', () => {
  const losses = createLossList()
  for (const field of ['messages.a', 'messages.a', 'messages.b'])
    losses.lose('foreign-field', 'dropped', field)
  expect(losses.all.map(({ field }) => field)).toEqual(['messages.a', 'messages.b'])
})

it('keeps at most a thousand fields per feature, and other features in full', () => {
  const losses = createLossList()
  for (let index = 0; index < 2_000; index += 1) losses.lose('foreign-field', 'dropped', `messages.x${index}`)
  losses.lose('choices', 'dropped')
  expect([losses.all.length, losses.all.at(-1)?.feature]).toEqual([1_001, 'choices'])
})
