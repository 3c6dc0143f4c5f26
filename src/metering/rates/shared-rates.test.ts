import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { brand } from '../../kit/brand.ts'
import type { RateLimit, RateLimitId } from '../rate-limit.ts'
import { RateLimiter } from './rate-limiter.ts'
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

it('each node grants an even share, and all of it once it is alone again', () => {
  let nodes = 4
  const rates = new SharedRates(new RateLimiter({ clock: createFakeClock() }), () => nodes)
  expect(countAdmitted(rates)).toBe(3)
  nodes = 1
  expect(countAdmitted(rates)).toBe(7)
})
