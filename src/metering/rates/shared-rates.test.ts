import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { brand } from '../../kit/brand.ts'
import type { Epoch } from '../leases/epoch.ts'
import type { RateLimit, RateLimitId } from '../rate-limit.ts'
import { RateLimiter } from './rate-limiter.ts'
import { type RateReport, RateShares } from './rate-shares.ts'
import { SharedRates } from './shared-rates.ts'

const none = { requestsPerMinute: undefined, tokensPerMinute: undefined, inputTokensPerMinute: undefined }
const limit: RateLimit = {
  id: brand<RateLimitId>('key/k'),
  name: 'key:k',
  terms: { ...none, outputTokensPerMinute: undefined, concurrency: 10, burst: undefined, waitMs: 0 },
}

function countAdmitted(rates: SharedRates): number {
  const turns = Array.from({ length: 20 }, () =>
    rates.acquire({ limits: [limit], keyId: 'k', inputTokens: 0, deadlineAtMs: 1_000 }),
  )
  return turns.filter(({ type }) => type === 'admitted').length
}

/** A node whose store answers this share of the limit. */
function openRates(share: number | undefined, nodes: () => number) {
  const clock = createFakeClock()
  const shares = new RateShares({
    store: { report: async () => (share === undefined ? [] : [{ limit: limit.id, share }]) },
    clock,
    epoch: () => brand<Epoch>(1),
    nodes,
  })
  return { clock, shares, rates: new SharedRates(new RateLimiter({ clock }), shares) }
}

it('each node grants an even share, and the full limit once it is alone again', () => {
  let nodes = 4
  const { rates } = openRates(undefined, () => nodes)
  expect(countAdmitted(rates)).toBe(3)
  nodes = 1
  expect(countAdmitted(rates)).toBe(7)
})

it('a node grants the share from the store, and an even one when that is not renewed', async () => {
  const { clock, shares, rates } = openRates(0.8, () => 2)
  await shares.report()
  expect(countAdmitted(rates)).toBe(8)
  clock.advance(11_000)
  expect(shares.shareOf(limit.id)).toBe(0.5)
})

it('the next report includes the data of a failed one', async () => {
  const reported: RateReport[][] = []
  let isAway = true
  const shares = new RateShares({
    store: {
      async report(_epoch, reports) {
        if (isAway) throw new Error('away')
        reported.push([...reports])
        return []
      },
    },
    clock: createFakeClock(),
    epoch: () => brand<Epoch>(1),
    nodes: () => 2,
  })
  shares.lacked(limit.id)
  await expect(shares.report()).rejects.toThrow('away')
  isAway = false
  shares.asked(limit.id)
  await shares.report()
  expect(reported).toEqual([[{ limit: limit.id, asked: 2, lacked: true }]])
})
