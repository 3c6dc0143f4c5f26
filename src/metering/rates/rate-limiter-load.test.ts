import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts'
import type { RateTerms } from '../../access/limits/rate-schema.ts'
import { brand } from '../../kit/brand.ts'
import { createSeededRandom } from '../../kit/random/seeded-random.ts'
import type { RateLimit, RateLimitId } from '../rate-limit.ts'
import { type RateLease, RateLimiter, type RateOutcome } from './rate-limiter.ts'

const REQUESTS = 10_000
const KEYS = ['a', 'b', 'c', 'd', 'e']
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

interface Flood {
  readonly limit: RateLimit
  /** Between two requests. */
  readonly everyMs: number
  readonly inputTokens: () => number
  /** Each counted some time after its request was admitted. */
  readonly outputTokens: () => number
}

interface Passed {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly byKey: ReadonlyMap<string, number>
  readonly lastedMs: number
  readonly maxRunning: number
}

const OUTPUT_AFTER_MS = 40

/** 10,000 requests of five keys that share a limit, at random moments. */
async function flood({ limit, everyMs, inputTokens, outputTokens }: Flood): Promise<Passed> {
  const clock = createFakeClock()
  const limiter = new RateLimiter({ clock })
  const random = createSeededRandom(7)
  const passed = { requests: 0, inputTokens: 0, outputTokens: 0 }
  const byKey = new Map<string, number>()
  let running = 0
  let maxRunning = 0
  const admit = (keyId: string, input: number) => (outcome: RateOutcome) => {
    if (outcome.type !== 'admitted') return
    running += 1
    maxRunning = Math.max(maxRunning, running)
    passed.requests += 1
    passed.inputTokens += input
    byKey.set(keyId, (byKey.get(keyId) ?? 0) + 1)
    clock.startTimer(OUTPUT_AFTER_MS, () => {
      const tokens = outputTokens()
      running -= 1
      passed.outputTokens += tokens
      outcome.lease.addOutput(tokens)
      outcome.lease.release()
    })
  }
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    clock.advance(2 * everyMs * random.fraction())
    const keyId = KEYS[Math.floor(random.fraction() * KEYS.length)] ?? 'a'
    const input = inputTokens()
    const turn = limiter.acquire({
      limits: [limit],
      keyId,
      inputTokens: input,
      deadlineAtMs: Number.POSITIVE_INFINITY,
    })
    if (turn.type === 'waits') void turn.outcome.then(admit(keyId, input))
    else admit(keyId, input)(turn)
    await Promise.resolve()
  }
  const lastedMs = clock.monotonicMs()
  return { ...passed, byKey, lastedMs, maxRunning }
}

/** The amount that a limit of so much in a minute, with a burst of a tenth, lets through. */
function allowed(limit: number, lastedMs: number): number {
  return limit / 10 + (limit * lastedMs) / 60_000
}

function expectWithinOnePercent(actual: number, expected: number): void {
  expect(actual / expected).toBeGreaterThan(0.99)
  expect(actual / expected).toBeLessThan(1.01)
}

function expectFairShares({ byKey, requests }: Passed, share: number): void {
  expect(byKey.size).toBe(KEYS.length)
  for (const count of byKey.values()) expect(count).toBeGreaterThan((share * requests) / KEYS.length)
}

describe.each([
  ['refused', 0],
  ['queued', 2_000],
] as const)('a limit under 10,000 requests at three times its rate, %s beyond it', (_, waitMs) => {
  const random = createSeededRandom(11)
  const tokens = () => 1 + Math.floor(random.fraction() * 199)
  // Round robin gives each key the same; refusals leave it to chance, which comes close to it over so many.
  const share = waitMs === 0 ? 0.85 : 0.95

  it('of requests admits as many as it allows, shared fairly between the keys', async () => {
    const limit = limitOf('g', { requestsPerMinute: 6_000, waitMs })
    const passed = await flood({ limit, everyMs: 10 / 3, inputTokens: () => 10, outputTokens: () => 10 })
    expectWithinOnePercent(passed.requests, allowed(6_000, passed.lastedMs))
    expectFairShares(passed, share)
  })

  it('of tokens admits as many as it allows, input and output together', async () => {
    const limit = limitOf('g', { tokensPerMinute: 1_200_000, waitMs })
    const passed = await flood({ limit, everyMs: 200 / 60, inputTokens: tokens, outputTokens: tokens })
    expectWithinOnePercent(passed.inputTokens + passed.outputTokens, allowed(1_200_000, passed.lastedMs))
    expectFairShares(passed, share)
  })

  it('of input tokens admits as many as it allows', async () => {
    const limit = limitOf('g', { inputTokensPerMinute: 600_000, waitMs })
    const passed = await flood({ limit, everyMs: 200 / 60, inputTokens: tokens, outputTokens: tokens })
    expectWithinOnePercent(passed.inputTokens, allowed(600_000, passed.lastedMs))
    expectFairShares(passed, share)
  })

  it('of output tokens admits as many as it allows', async () => {
    const limit = limitOf('g', { outputTokensPerMinute: 600_000, waitMs })
    const passed = await flood({ limit, everyMs: 200 / 60, inputTokens: tokens, outputTokens: tokens })
    expectWithinOnePercent(passed.outputTokens, allowed(600_000, passed.lastedMs))
    expectFairShares(passed, share)
  })

  it('of concurrent requests admits as many as it allows', async () => {
    const limit = limitOf('g', { concurrency: 4, waitMs })
    const passed = await flood({ limit, everyMs: 10 / 3, inputTokens: () => 10, outputTokens: () => 10 })
    expect(passed.maxRunning).toBe(4)
    // Each runs for 40 ms: four at once are a hundred in a second.
    expect(passed.requests).toBeLessThanOrEqual((4 * passed.lastedMs) / OUTPUT_AFTER_MS + 4)
    expectFairShares(passed, share)
  })
})

it('a key with few requests is not delayed by a key with ten times its allowance', async () => {
  const clock = createFakeClock()
  const limiter = new RateLimiter({ clock })
  const limit = limitOf('g', { requestsPerMinute: 600, waitMs: 5_000 })
  const waits: number[] = []
  for (let at = 0; at < 60_000; at += 10) {
    clock.advance(10)
    const ask = (keyId: string) =>
      limiter.acquire({ limits: [limit], keyId, inputTokens: 0, deadlineAtMs: Number.POSITIVE_INFINITY })
    ask('loud')
    if (at % 1_000 === 0) {
      const sinceMs = clock.monotonicMs()
      const turn = ask('quiet')
      if (turn.type === 'waits') void turn.outcome.then(() => waits.push(clock.monotonicMs() - sinceMs))
      else waits.push(turn.type === 'admitted' ? 0 : Number.POSITIVE_INFINITY)
    }
    await Promise.resolve()
  }
  expect(waits.length).toBeGreaterThan(55)
  // A turn of its own and one of the other key.
  expect(Math.max(...waits)).toBeLessThanOrEqual(210)
})

const limits: readonly RateLimit[] = [
  limitOf('key/a', { concurrency: 2, waitMs: 3_000 }),
  limitOf('key/b', { requestsPerMinute: 600, burst: 3, waitMs: 0 }),
  limitOf('group/g', { requestsPerMinute: 1_200, burst: 5, concurrency: 3, waitMs: 2_000 }),
  limitOf('model/m', { tokensPerMinute: 60_000, waitMs: 1_000 }),
]

type Step =
  | {
      readonly type: 'acquire'
      readonly chosen: readonly number[]
      readonly inputTokens: number
      readonly key: string
    }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'release' | 'leave' | 'output'; readonly pick: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('acquire' as const),
      chosen: fc.subarray([0, 1, 2, 3]),
      inputTokens: fc.nat(3_000),
      key: fc.constantFrom('a', 'b', 'c'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('advance' as const), ms: fc.nat(700) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('release', 'leave', 'output'), pick: fc.nat(50) }),
  },
)

interface Running {
  readonly lease: RateLease
  readonly chosen: readonly number[]
}

/** One limiter, what runs, and when each limit let a request through. */
class History {
  readonly clock: FakeClock = createFakeClock()
  readonly limiter = new RateLimiter({ clock: this.clock, maxWaiting: 8 })
  readonly running: Running[] = []
  readonly waiting = new Set<{ leave(): void }>()
  readonly admittedAtMs: number[][] = limits.map(() => [])

  apply(each: Step): void {
    if (each.type === 'advance') this.clock.advance(each.ms)
    else if (each.type === 'acquire') this.#acquire(each)
    else if (each.type === 'leave') [...this.waiting][each.pick % this.waiting.size]?.leave()
    else if (each.type === 'output') this.running[each.pick % this.running.length]?.lease.addOutput(700)
    else
      for (const { lease } of this.running.splice(each.pick % (this.running.length + 1), 1)) lease.release()
  }

  #acquire({ chosen, inputTokens, key }: Extract<Step, { type: 'acquire' }>): void {
    const turn = this.limiter.acquire({
      limits: chosen.map((index) => limits[index]).filter((limit) => limit !== undefined),
      keyId: key,
      inputTokens,
      deadlineAtMs: Number.POSITIVE_INFINITY,
    })
    const settle = (outcome: RateOutcome) => {
      if (outcome.type !== 'admitted') return
      this.running.push({ lease: outcome.lease, chosen })
      for (const index of chosen) this.admittedAtMs[index]?.push(this.clock.monotonicMs())
    }
    if (turn.type !== 'waits') {
      settle(turn)
      return
    }
    this.waiting.add(turn)
    void turn.outcome.then((outcome) => {
      this.waiting.delete(turn)
      settle(outcome)
    })
  }
}

it('no sequence of events passes a limit, and no request waits and no key is remembered forever', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const history = new History()
      const { clock, limiter, running, waiting } = history
      for (const each of steps) {
        history.apply(each)
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
        for (const [index, { terms }] of limits.entries()) {
          const count = running.filter(({ chosen }) => chosen.includes(index)).length
          expect(count).toBeLessThanOrEqual(terms.concurrency ?? Number.POSITIVE_INFINITY)
        }
        expect(limiter.waiting).toBe(waiting.size)
        expect(limiter.waiting).toBeLessThanOrEqual(8)
      }
      for (const [index, { terms }] of limits.entries()) {
        const times = history.admittedAtMs[index] ?? []
        const { requestsPerMinute, burst = 0 } = terms
        if (requestsPerMinute === undefined) continue
        for (const [from, startMs] of times.entries())
          for (const [count, atMs] of times.slice(from).entries())
            expect(count + 1).toBeLessThanOrEqual(
              burst + ((atMs - startMs) * requestsPerMinute) / 60_000 + 1e-6,
            )
      }
      clock.advance(3_000)
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
      expect([waiting.size, limiter.waiting]).toEqual([0, 0])
      for (const { lease } of running) lease.release()
      expect(clock.pendingTimers).toBe(0)
    }),
    { numRuns: 300 },
  )
})
