import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import type { RateTerms } from '../../access/limits/rate-schema.ts'
import { brand } from '../../kit/brand.ts'
import type { RateLimit, RateLimitId } from '../rate-limit.ts'
import {
  type RateLease,
  RateLimiter,
  type RateOutcome,
  type RateRequest,
  type RateTurn,
} from './rate-limiter.ts'

const unlimited: RateTerms = {
  requestsPerMinute: undefined,
  tokensPerMinute: undefined,
  inputTokensPerMinute: undefined,
  outputTokensPerMinute: undefined,
  concurrency: undefined,
  burst: undefined,
  waitMs: 0,
}

function limitOf(name: string, terms: Partial<RateTerms>): RateLimit {
  return { id: brand<RateLimitId>(name), name, terms: { ...unlimited, ...terms } }
}

function setUp(maxWaiting?: number) {
  const clock = createFakeClock()
  const limiter = new RateLimiter({ clock, ...(maxWaiting !== undefined && { maxWaiting }) })
  const acquire = (limits: readonly RateLimit[], more: Partial<RateRequest> = {}) =>
    limiter.acquire({ limits, keyId: 'k', inputTokens: 0, deadlineAtMs: Number.POSITIVE_INFINITY, ...more })
  return { clock, limiter, acquire }
}

function leaseOf(turn: RateTurn | RateOutcome): RateLease {
  if (turn.type !== 'admitted') throw new Error(`it is ${turn.type}`)
  return turn.lease
}

/** The outcome of a turn by now. */
function watch(turn: RateTurn) {
  const watched: { outcome: RateOutcome | undefined } = { outcome: undefined }
  if (turn.type !== 'waits') watched.outcome = turn
  else
    void turn.outcome.then((outcome) => {
      watched.outcome = outcome
    })
  return watched
}

const settled = () => Promise.resolve().then(() => undefined)

describe('a limit of requests per minute', () => {
  it.each([
    ['a tenth of the limit', { requestsPerMinute: 60 }, 6],
    ['one where a tenth is less', { requestsPerMinute: 5 }, 1],
    ['the burst that is stated', { requestsPerMinute: 60, burst: 20 }, 20],
  ])('admits a burst of up to %s', (_, terms, burst) => {
    const { acquire } = setUp()
    const limit = limitOf('key/a', terms)
    const turns = Array.from({ length: burst + 1 }, () => acquire([limit]).type)
    expect(turns.filter((type) => type === 'admitted')).toHaveLength(burst)
    expect(turns.at(-1)).toBe('refused')
  })

  it('admits requests at its rate, and its refusal says when the next one can come', () => {
    const { acquire, clock } = setUp()
    const limit = limitOf('key/a', { requestsPerMinute: 60, burst: 1 })
    expect(acquire([limit]).type).toBe('admitted')
    clock.advance(400)
    expect(acquire([limit])).toEqual({ type: 'refused', limit, kind: 'requests', retryAfterMs: 600 })
    clock.advance(599)
    expect(acquire([limit]).type).toBe('refused')
    clock.advance(1)
    expect(acquire([limit]).type).toBe('admitted')
  })
})

describe('a limit of tokens per minute', () => {
  it('is charged for the input at admission', () => {
    const { acquire } = setUp()
    const limit = limitOf('key/a', { inputTokensPerMinute: 6_000 })
    expect(acquire([limit], { inputTokens: 400 }).type).toBe('admitted')
    expect(acquire([limit], { inputTokens: 300 })).toMatchObject({
      kind: 'input-tokens',
      retryAfterMs: 1_000,
    })
    expect(acquire([limit], { inputTokens: 200 }).type).toBe('admitted')
  })

  it('goes below zero by the output, and delays later requests until the debt is refilled', () => {
    const { acquire, clock } = setUp()
    const limit = limitOf('key/a', { tokensPerMinute: 6_000 })
    leaseOf(acquire([limit], { inputTokens: 100 })).addOutput(1_000)
    expect(acquire([limit], { inputTokens: 100 })).toMatchObject({ kind: 'tokens', retryAfterMs: 6_000 })
    clock.advance(6_000)
    expect(acquire([limit], { inputTokens: 100 }).type).toBe('admitted')
  })

  it('of the output alone is not charged for the input', () => {
    const { acquire } = setUp()
    const limit = limitOf('key/a', { outputTokensPerMinute: 600 })
    const lease = leaseOf(acquire([limit], { inputTokens: 100_000 }))
    expect(acquire([limit]).type).toBe('admitted')
    lease.addOutput(60)
    expect(acquire([limit])).toMatchObject({ kind: 'output-tokens', retryAfterMs: 100 })
  })

  it('charges output in full that is added after the release, whatever was expected', () => {
    const { acquire } = setUp()
    const limit = limitOf('key/a', { outputTokensPerMinute: 600 })
    const first = leaseOf(acquire([limit]))
    first.addOutput(50)
    first.release()
    const second = leaseOf(acquire([limit]))
    second.release()
    second.addOutput(50)
    expect(acquire([limit])).toMatchObject({ kind: 'output-tokens', retryAfterMs: 4_100 })
  })

  it('charges the input that a provider states beyond the estimate, once', () => {
    const { acquire } = setUp()
    const limit = limitOf('key/a', { inputTokensPerMinute: 600, outputTokensPerMinute: 600 })
    const lease = leaseOf(acquire([limit], { inputTokens: 50 }))
    for (const stated of [40, 160, 160]) lease.raiseInput(stated)
    expect(acquire([limit])).toMatchObject({ kind: 'input-tokens', retryAfterMs: 10_100 })
  })

  it('charges an input longer than the burst in full, once the bucket is full', () => {
    const { acquire, clock } = setUp()
    const limit = limitOf('key/a', { tokensPerMinute: 6_000 })
    expect(acquire([limit], { inputTokens: 3_000 }).type).toBe('admitted')
    clock.advance(29_999)
    expect(acquire([limit], { inputTokens: 3_000 }).type).toBe('refused')
    clock.advance(1)
    expect(acquire([limit], { inputTokens: 3_000 }).type).toBe('admitted')
  })
})

describe('several limits', () => {
  it('admit a request together or not at all', () => {
    const { acquire, limiter } = setUp()
    const key = limitOf('key/a', { requestsPerMinute: 600, tokensPerMinute: 6_000 })
    const group = limitOf('group/g', { requestsPerMinute: 10 })
    expect(acquire([key, group], { inputTokens: 10 }).type).toBe('admitted')
    const before = limiter.status([key])
    expect(acquire([key, group], { inputTokens: 10 })).toMatchObject({ type: 'refused', limit: group })
    expect(limiter.status([key])).toEqual(before)
  })

  it('refuse with the wait of the slowest one', () => {
    const { acquire } = setUp()
    const limits = [
      limitOf('a', { requestsPerMinute: 60, burst: 1 }),
      limitOf('b', { requestsPerMinute: 6, burst: 1 }),
    ]
    acquire(limits)
    expect(acquire(limits)).toMatchObject({ limit: limits[1], retryAfterMs: 10_000 })
  })
})

describe('a limit of concurrent requests', () => {
  it('admits as many as it says, and each request that ends makes room for another', () => {
    const { acquire } = setUp()
    const limit = limitOf('key/a', { concurrency: 2 })
    const first = leaseOf(acquire([limit]))
    acquire([limit])
    expect(acquire([limit])).toMatchObject({ type: 'refused', kind: 'concurrency', retryAfterMs: 1_000 })
    first.release()
    first.release()
    expect(acquire([limit]).type).toBe('admitted')
    expect(acquire([limit]).type).toBe('refused')
  })
})

describe('a limit with waiting', () => {
  it('lets a request wait for its turn', async () => {
    const { acquire, clock } = setUp()
    const limit = limitOf('key/a', { requestsPerMinute: 60, burst: 1, waitMs: 5_000 })
    acquire([limit])
    const waiting = watch(acquire([limit]))
    clock.advance(999)
    await settled()
    expect(waiting.outcome).toBeUndefined()
    clock.advance(1)
    await settled()
    expect(waiting.outcome?.type).toBe('admitted')
  })

  it('refuses at once a request whose wait would be too long', () => {
    const { acquire } = setUp()
    const limit = limitOf('key/a', { requestsPerMinute: 60, burst: 1, waitMs: 5_000 })
    acquire([limit])
    expect(acquire([limit], { deadlineAtMs: 900 })).toMatchObject({ type: 'refused', retryAfterMs: 1_000 })
  })

  it('refuses at once a request that does not fit a second limit without waiting', () => {
    const { acquire } = setUp()
    const limits = [limitOf('a', { concurrency: 1, waitMs: 5_000 }), limitOf('b', { concurrency: 1 })]
    acquire(limits)
    expect(acquire(limits).type).toBe('refused')
  })

  it('refuses a request whose time is over', async () => {
    const { acquire, clock, limiter } = setUp()
    const limit = limitOf('key/a', { concurrency: 1, waitMs: 5_000 })
    acquire([limit])
    const waiting = watch(acquire([limit]))
    clock.advance(5_000)
    await settled()
    expect(waiting.outcome).toMatchObject({ type: 'refused', limit, kind: 'concurrency' })
    expect([limiter.waiting, clock.pendingTimers]).toEqual([0, 0])
  })

  it('charges nothing for a request that leaves, and admits the next one', async () => {
    const { acquire, limiter } = setUp()
    const limit = limitOf('key/a', { concurrency: 1, waitMs: 5_000 })
    const running = leaseOf(acquire([limit]))
    const first = acquire([limit])
    const second = watch(acquire([limit]))
    const left = watch(first)
    if (first.type === 'waits') first.leave()
    running.release()
    await settled()
    expect([left.outcome?.type, second.outcome?.type]).toEqual(['left', 'admitted'])
    expect(limiter.waiting).toBe(0)
  })

  it('serves keys in turn, however many requests one of them has', async () => {
    const { acquire, clock } = setUp()
    const group = limitOf('group/g', { requestsPerMinute: 600, burst: 1, waitMs: 60_000 })
    acquire([group])
    const order: string[] = []
    for (const keyId of ['loud', 'loud', 'loud', 'loud', 'quiet', 'quiet']) {
      const turn = acquire([group], { keyId })
      if (turn.type === 'waits') void turn.outcome.then(() => order.push(keyId))
    }
    for (let step = 0; step < 6; step += 1) {
      clock.advance(100)
      await settled()
    }
    expect(order).toEqual(['loud', 'quiet', 'loud', 'quiet', 'loud', 'loud'])
  })

  it('does not let short inputs overtake a long one forever', async () => {
    const { acquire, clock } = setUp()
    const group = limitOf('group/g', { tokensPerMinute: 60_000, waitMs: 60_000 })
    acquire([group], { inputTokens: 6_000 })
    const long = watch(acquire([group], { keyId: 'long', inputTokens: 6_000 }))
    for (let step = 0; step < 6; step += 1) {
      acquire([group], { keyId: `short-${step}`, inputTokens: 500 })
      clock.advance(1_000)
    }
    await settled()
    expect(long.outcome?.type).toBe('admitted')
  })

  it('lets a key at its own limit delay no other key at the shared limit', () => {
    const { acquire } = setUp()
    const group = limitOf('group/g', { concurrency: 10, waitMs: 5_000 })
    const own = limitOf('key/a', { concurrency: 1, waitMs: 5_000 })
    acquire([own, group], { keyId: 'a' })
    expect(acquire([own, group], { keyId: 'a' }).type).toBe('waits')
    expect(acquire([group], { keyId: 'b' }).type).toBe('admitted')
  })

  it('puts a request that waited for its own limit behind those that wait at the shared one', async () => {
    const { acquire, clock } = setUp()
    const group = limitOf('group/g', { requestsPerMinute: 60, burst: 1, waitMs: 60_000 })
    const own = limitOf('key/a', { concurrency: 1, waitMs: 60_000 })
    const running = leaseOf(acquire([own, group], { keyId: 'a' }))
    clock.advance(1_000)
    const order: string[] = []
    const follow = (name: string, turn: RateTurn) => {
      if (turn.type === 'waits') void turn.outcome.then(() => order.push(name))
    }
    follow('a', acquire([own, group], { keyId: 'a' }))
    acquire([group], { keyId: 'b' })
    follow('b', acquire([group], { keyId: 'b' }))
    running.release()
    clock.advance(1_000)
    await settled()
    clock.advance(1_000)
    await settled()
    expect(order).toEqual(['b', 'a'])
  })

  it('admits next a request that had its turn at the shared limit but lacked room at its own', async () => {
    const { acquire, clock } = setUp()
    const group = limitOf('group/g', { requestsPerMinute: 60, burst: 1, waitMs: 60_000 })
    const own = limitOf('key/a', { concurrency: 1, waitMs: 60_000 })
    const running = leaseOf(acquire([own, group], { keyId: 'a' }))
    const order: string[] = []
    for (const keyId of ['a', 'b', 'c']) {
      const turn = acquire(keyId === 'a' ? [own, group] : [group], { keyId })
      if (turn.type === 'waits') void turn.outcome.then(() => order.push(keyId))
    }
    clock.advance(1_500)
    running.release()
    for (let step = 0; step < 2; step += 1) {
      clock.advance(1_000)
      await settled()
    }
    expect(order).toEqual(['b', 'a', 'c'])
  })

  it('bounds the waiting requests, and the key with the most of them makes room', async () => {
    const { acquire, limiter } = setUp(3)
    const limit = limitOf('group/g', { concurrency: 1, waitMs: 5_000 })
    acquire([limit])
    const loud = [1, 2, 3].map(() => watch(acquire([limit], { keyId: 'loud' })))
    expect(acquire([limit], { keyId: 'loud' }).type).toBe('refused')
    const quiet = watch(acquire([limit], { keyId: 'quiet' }))
    await settled()
    expect(loud.map(({ outcome }) => outcome?.type)).toEqual([undefined, undefined, 'refused'])
    expect([quiet.outcome, limiter.waiting]).toEqual([undefined, 3])
  })
})

describe('the state for rate limit headers', () => {
  it('lists what each limit has left of each of its kinds', () => {
    const { acquire, limiter } = setUp()
    const key = limitOf('key/a', { requestsPerMinute: 600, inputTokensPerMinute: 6_000 })
    const group = limitOf('group/g', { requestsPerMinute: 60, burst: 50, tokensPerMinute: 60_000 })
    leaseOf(acquire([key, group], { inputTokens: 100 })).addOutput(50)
    expect(limiter.status([key, group])).toEqual([
      { kind: 'requests', limit: 600, remaining: 59, resetMs: 100 },
      { kind: 'input-tokens', limit: 6_000, remaining: 500, resetMs: 1_000 },
      { kind: 'requests', limit: 60, remaining: 49, resetMs: 1_000 },
      { kind: 'tokens', limit: 60_000, remaining: 5_850, resetMs: 150 },
    ])
  })

  it('is never below zero, and is the full amount for an unused limit', () => {
    const { acquire, limiter } = setUp()
    const limit = limitOf('key/a', { tokensPerMinute: 6_000 })
    expect(limiter.status([limit])).toMatchObject([{ remaining: 600, resetMs: 0 }])
    leaseOf(acquire([limit], { inputTokens: 600 })).addOutput(5_400)
    expect(limiter.status([limit])).toMatchObject([{ remaining: 0, resetMs: 60_000 }])
  })
})

it('unused limits are forgotten', () => {
  const { acquire, clock, limiter } = setUp()
  for (let key = 0; key < 20_000; key += 1) {
    leaseOf(acquire([limitOf(`key/${key}`, { requestsPerMinute: 60 })])).release()
    clock.advance(1)
  }
  expect(limiter.size).toBeLessThan(3_000)
})
