import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import type { KeyId } from '../access/key.ts'
import { GatewayError } from '../canonical/failure.ts'
import { brand } from '../kit/brand.ts'
import { KeyUsage, type UsageSpan } from './key-usage.ts'
import type { UsagePage, UsageQuery } from './usage-query.ts'

const key = brand<KeyId>('key_1')
const day: UsageSpan = { sinceMs: 0, untilMs: 86_400_000 }
const week: UsageSpan = { sinceMs: 0, untilMs: 7 * 86_400_000 }

/** A ledger of which each reading ends when the test says so. */
function open() {
  const clock = createFakeClock()
  const asked: { readonly query: UsageQuery; readonly end: PromiseWithResolvers<UsagePage> }[] = []
  const usage = new KeyUsage({
    clock,
    reader: {
      usage(query) {
        const end = Promise.withResolvers<UsagePage>()
        asked.push({ query, end })
        return end.promise
      },
    },
  })
  const answer = (index: number, charged: bigint) => {
    const totals = { charged } as UsagePage['totals']
    asked[index]?.end.resolve({ groups: [], hasMore: false, totals, keyNames: {} })
  }
  return { clock, asked, usage, answer, turn: () => new Promise((resolve) => setImmediate(resolve)) }
}

describe('the amount that a key was charged', () => {
  it('is read once for all equal queries within ten seconds', async () => {
    const { clock, asked, usage, answer } = open()
    const both = [usage.charged(key, day), usage.charged(key, day)]
    answer(0, 5n)
    expect(await Promise.all(both)).toEqual([5n, 5n])
    clock.advance(9_999)
    expect(await usage.charged(key, day)).toBe(5n)
    expect(asked.map(({ query }) => query.filter)).toEqual([{ key: 'key_1' }])
    clock.advance(1)
    const later = usage.charged(key, day)
    answer(1, 7n)
    expect(await later).toBe(7n)
  })

  it('is read for other days once the previous reading has ended', async () => {
    const { asked, usage, answer, turn } = open()
    const first = usage.charged(key, day)
    const others = [usage.charged(key, week), usage.charged(key, week)]
    await turn()
    expect(asked).toHaveLength(1)
    answer(0, 1n)
    expect(await first).toBe(1n)
    await turn()
    expect(asked).toHaveLength(2)
    answer(1, 2n)
    expect(await Promise.all(others)).toEqual([2n, 2n])
  })

  it('is read again after a reading that failed', async () => {
    const { asked, usage, answer } = open()
    const failed = usage.charged(key, day)
    asked[0]?.end.reject(new GatewayError('store_unavailable'))
    await expect(failed).rejects.toThrow(GatewayError)
    const again = usage.charged(key, day)
    answer(1, 3n)
    expect(await again).toBe(3n)
  })

  it('is read for one key without waiting for other keys', async () => {
    const { asked, usage } = open()
    void usage.charged(key, day)
    void usage.charged(brand<KeyId>('key_2'), day)
    expect(asked.map(({ query }) => query.filter.key)).toEqual(['key_1', 'key_2'])
  })
})
