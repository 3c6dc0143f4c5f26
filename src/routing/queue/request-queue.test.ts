import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { type QueueVerdict, RequestQueue } from './request-queue.ts'

function openQueue({ size = 100, waitMs = 10_000 } = {}) {
  const clock = createFakeClock()
  const queue = new RequestQueue({ policy: { size, waitMs }, clock })
  const gone: string[] = []
  let free = 0
  const enter = (
    keyId: string,
    name = keyId,
    more: { deadlineAtMs?: number; wakeAtMs?: number; group?: string } = {},
  ) => {
    const tryAdmit = () => {
      if (free === 0) return 'wait' as const
      free -= 1
      return 'admitted' as const
    }
    const waiter = { group: 'm', keyId, deadlineAtMs: Number.POSITIVE_INFINITY, tryAdmit, ...more }
    const waiting = queue.enqueue(waiter)
    const settled = waiting.outcome.then((outcome) => gone.push(`${name}: ${outcome}`))
    return { leave: waiting.leave, settled }
  }
  const release = (count: number) => {
    free += count
    queue.wake()
    return settle()
  }
  return { clock, queue, gone, enter, release, settle, setFree: (count: number) => (free = count) }
}

/** Lets those who wait hear of it. */
async function settle() {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
}

describe('the request queue', () => {
  it('serves keys in turn, and the requests of one key in order', async () => {
    const { enter, release, gone } = openQueue()
    for (let count = 1; count <= 3; count += 1) enter('busy', `busy ${count}`)
    enter('quiet', 'quiet 1')
    enter('third', 'third 1')
    await release(2)
    await release(2)
    expect(gone).toEqual(['busy 1: admitted', 'quiet 1: admitted', 'third 1: admitted', 'busy 2: admitted'])
  })

  it('drops a request that waited too long, by its own limit or its deadline', async () => {
    const { clock, enter, gone, settle: listen, queue } = openQueue({ waitMs: 5_000 })
    enter('a', 'short', { deadlineAtMs: 1_000 })
    enter('a', 'long')
    clock.advance(999)
    await listen()
    expect(gone).toEqual([])
    clock.advance(11)
    await listen()
    expect(gone).toEqual(['short: timed-out'])
    clock.advance(4_000)
    await listen()
    expect(gone).toEqual(['short: timed-out', 'long: timed-out'])
    expect(queue.size).toBe(0)
    expect(clock.pendingTimers).toBe(0)
  })

  it('tries again by itself when a cooldown ends', async () => {
    const { clock, enter, gone, settle: listen, setFree } = openQueue()
    enter('a', 'one', { wakeAtMs: 2_000 })
    setFree(1)
    clock.advance(1_999)
    await listen()
    expect(gone).toEqual([])
    clock.advance(1)
    await listen()
    expect(gone).toEqual(['one: admitted'])
    expect(clock.pendingTimers).toBe(0)
  })

  it('tries again when a cooldown ends that became longer during the wait', async () => {
    const { clock, queue, gone, settle: listen } = openQueue()
    let untilMs = 2_000
    const tryAdmit = () => (clock.monotonicMs() < untilMs ? ('wait' as const) : ('admitted' as const))
    const waiter = (keyId: string, deadlineAtMs: number) => ({
      group: 'm',
      keyId,
      deadlineAtMs,
      tryAdmit,
      get wakeAtMs() {
        return untilMs
      },
    })
    for (const [keyId, deadlineAtMs] of [['short', 3_000] as const, ['long', 1e9] as const])
      queue.enqueue(waiter(keyId, deadlineAtMs)).outcome.then((outcome) => gone.push(`${keyId}: ${outcome}`))
    untilMs = 4_000
    clock.advance(2_000)
    clock.advance(2_000)
    await listen()
    expect(gone).toEqual(['short: timed-out', 'long: admitted'])
  })

  it('refuses requests beyond its size, and makes room by removing one of the key with the most', async () => {
    const { enter, gone, settle: listen, queue } = openQueue({ size: 4 })
    for (let count = 1; count <= 4; count += 1) enter('busy', `busy ${count}`)
    enter('busy', 'busy 5')
    enter('quiet', 'quiet 1')
    enter('quiet', 'quiet 2')
    enter('quiet', 'quiet 3')
    await listen()
    expect(gone).toEqual(['busy 5: full', 'busy 4: full', 'busy 3: full', 'quiet 3: full'])
    expect(queue.size).toBe(4)
  })

  it('makes room by removing the request that came last, also where a later one waits for less long', async () => {
    const { enter, gone, settle: listen, queue } = openQueue({ size: 4, waitMs: 10_000 })
    enter('busy', 'busy 1', { group: 'first' })
    enter('busy', 'busy 2', { group: 'second' })
    enter('busy', 'busy 3', { group: 'first' })
    queue.setPolicy({ size: 4, waitMs: 1_000 })
    enter('busy', 'busy 4', { group: 'second' })
    enter('quiet', 'quiet 1')
    enter('quiet', 'quiet 2')
    await listen()
    expect(gone).toEqual(['busy 4: full', 'busy 3: full'])
  })

  it('forgets a request that leaves', async () => {
    const { enter, release, gone, queue, clock } = openQueue()
    enter('a', 'first').leave()
    enter('a', 'second')
    await release(1)
    expect(gone).toEqual(['first: left', 'second: admitted'])
    expect(queue.hasWaiting('m')).toBe(false)
    expect(clock.pendingTimers).toBe(0)
  })

  it('runs one timer, however many requests wait', () => {
    const { enter, clock } = openQueue()
    for (let count = 0; count < 50; count += 1) enter(`key ${count}`, 'one', { deadlineAtMs: 9_000 - count })
    expect(clock.pendingTimers).toBe(1)
  })

  it('does not let the requests of one model hold up another', async () => {
    const { queue, clock, settle: listen } = openQueue()
    const outcomes: string[] = []
    const enter = (group: string, turn: QueueVerdict) => {
      const waiter = { group, keyId: 'a', deadlineAtMs: 1e9, tryAdmit: () => turn }
      queue.enqueue(waiter).outcome.then((outcome) => outcomes.push(`${group}: ${outcome}`))
    }
    enter('cooling', 'wait')
    enter('free', 'admitted')
    queue.wake()
    await listen()
    expect(outcomes).toEqual(['free: admitted'])
    queue.close()
    await listen()
    expect(outcomes).toEqual(['free: admitted', 'cooling: timed-out'])
    expect(clock.pendingTimers).toBe(0)
  })

  it('lets groups that wait for the same slots take turns', async () => {
    const { enter, release, gone } = openQueue()
    for (let count = 1; count <= 3; count += 1) enter('a', `busy ${count}`)
    enter('b', 'quiet 1', { group: 'other' })
    await release(1)
    await release(1)
    expect(gone).toEqual(['busy 1: admitted', 'quiet 1: admitted'])
  })

  it('ends the wait of a request that can no longer be served in time, and tries the next', async () => {
    const { queue, settle: listen } = openQueue()
    const outcomes: string[] = []
    const turns: readonly QueueVerdict[] = ['hopeless', 'hopeless', 'admitted', 'wait']
    turns.forEach((turn, index) => {
      const waiter = { group: 'm', keyId: 'a', deadlineAtMs: 1e9, tryAdmit: () => turn }
      queue.enqueue(waiter).outcome.then((outcome) => outcomes.push(`${index}: ${outcome}`))
    })
    queue.wake()
    await listen()
    expect(outcomes).toEqual(['0: hopeless', '1: hopeless', '2: admitted'])
    expect(queue.size).toBe(1)
    queue.close()
  })

  it('gives every request one outcome, and no key more than one turn ahead of another that waits', async () => {
    const steps = fc.array(fc.tuple(fc.nat(3), fc.nat(4), fc.nat(3_000)), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(steps, async (made) => {
        const { clock, enter, release, gone, settle: listen, queue } = openQueue({ size: 12, waitMs: 8_000 })
        const entered: Promise<unknown>[] = []
        for (const [key, freed, advanceMs] of made) {
          entered.push(enter(`key ${key}`).settled)
          const before = gone.length
          await release(freed === 4 ? 1 : 0)
          expect(gone.slice(before).filter((line) => line.endsWith('admitted')).length).toBeLessThanOrEqual(1)
          clock.advance(advanceMs)
          await listen()
        }
        clock.advance(10_000)
        await Promise.all(entered)
        expect(gone.length).toBe(made.length)
        expect(queue.size).toBe(0)
        expect(clock.pendingTimers).toBe(0)
      }),
      { numRuns: 500 },
    )
  })
})
