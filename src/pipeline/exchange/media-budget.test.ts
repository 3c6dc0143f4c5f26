import { expect, it } from 'vitest'
import { MediaBudget, type MediaHold, type MediaNeed } from './media-budget.ts'

const limits = { maxHeldBytes: 100, maxHeldBytesOfKey: 60, maxFetches: 8 }
const never = new AbortController().signal

function needOf(keyId: string, bytes: number, fetches = 1): MediaNeed {
  return { keyId, bytes, fetches, limits }
}

/** The state of the wait so far. */
async function stateOf(waiting: Promise<MediaHold | undefined>): Promise<'granted' | 'refused' | 'waits'> {
  const found = await Promise.race([waiting, Promise.resolve('waits' as const)])
  if (found === 'waits') return 'waits'
  return found === undefined ? 'refused' : 'granted'
}

async function reserve(budget: MediaBudget, need: MediaNeed): Promise<MediaHold> {
  const hold = await budget.reserve(need, never)
  if (hold === undefined) throw new Error('there was no room')
  return hold
}

it('admits the next request once unneeded room is returned', async () => {
  const budget = new MediaBudget()
  const first = await reserve(budget, needOf('a', 60))
  const second = budget.reserve(needOf('b', 60), never)
  expect(await stateOf(second)).toBe('waits')
  first.shrink(30)
  expect(await stateOf(second)).toBe('granted')
  expect(budget.heldBytes).toBe(90)
})

it('returns all room exactly once, however often it is released', async () => {
  const budget = new MediaBudget()
  const hold = await reserve(budget, needOf('a', 60))
  await reserve(budget, needOf('b', 10))
  hold.shrink(40)
  hold.release()
  hold.release()
  expect(budget.heldBytes).toBe(10)
})

it('reserves room for other keys when one key requests all of it, and does not delay them behind it', async () => {
  const budget = new MediaBudget()
  await reserve(budget, needOf('greedy', 60))
  const more = budget.reserve(needOf('greedy', 10), never)
  const other = budget.reserve(needOf('other', 40), never)
  expect(await stateOf(other)).toBe('granted')
  expect(await stateOf(more)).toBe('waits')
})

it('lets a small need wait behind a large need of another key, which would otherwise never find room', async () => {
  const budget = new MediaBudget()
  const first = await reserve(budget, needOf('a', 60))
  const large = budget.reserve(needOf('b', 50), never)
  const small = budget.reserve(needOf('c', 10), never)
  expect(await stateOf(small)).toBe('waits')
  first.release()
  expect([await stateOf(large), await stateOf(small)]).toEqual(['granted', 'granted'])
})

it('bounds concurrent fetches, in total and for each key, until they end', async () => {
  const budget = new MediaBudget()
  const first = await reserve(budget, needOf('a', 1, 4))
  const same = budget.reserve(needOf('a', 1, 1), never)
  await reserve(budget, needOf('b', 1, 4))
  const third = budget.reserve(needOf('c', 1, 4), never)
  expect([await stateOf(same), await stateOf(third)]).toEqual(['waits', 'waits'])
  first.shrink(1)
  expect(await stateOf(same)).toBe('granted')
})

it('refuses a request that waited too long, and lets those behind it through', async () => {
  const budget = new MediaBudget()
  await reserve(budget, needOf('a', 60))
  const late = new AbortController()
  const large = budget.reserve(needOf('b', 50), late.signal)
  const small = budget.reserve(needOf('c', 10), never)
  late.abort()
  expect([await stateOf(large), await stateOf(small)]).toEqual(['refused', 'granted'])
})

it('refuses at once beyond a thousand waiting requests', async () => {
  const budget = new MediaBudget()
  await reserve(budget, needOf('a', 60))
  for (let count = 0; count < 1_000; count += 1) void budget.reserve(needOf('a', 60), never)
  expect(await stateOf(budget.reserve(needOf('a', 60), never))).toBe('refused')
})
