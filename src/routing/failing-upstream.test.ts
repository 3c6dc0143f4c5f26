import { describe, expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import {
  fail,
  type SimulatedAnswer,
  type Simulation,
  simulateRouting,
} from '../../test/support/simulate-routing.ts'
import { createCatalog } from '../catalog/create-catalog.ts'
import type { Random } from '../kit/random/random.ts'

const RATE = 200
const OUTAGE_FROM_MS = 5_000
const OUTAGE_TO_MS = 65_000
const END_MS = 90_000
const catalog = createCatalog({
  channels: ['sick', 'well'].map((name) => createChannel({ name, models: { m: 'm' } })),
  entries: [],
  lists: new Map(),
  createdAtSeconds: 0,
})

const policy = { attempts: 3, sameTarget: 1, maxRetryAfterMs: 3_000, deadlineMs: 30_000 }
const good: SimulatedAnswer = { afterMs: 100 }

/** Two targets of equal weight, one of which fails for a minute, at 200 requests a second. */
function simulateOutage(sick: (random: Random) => SimulatedAnswer): Simulation {
  const route = catalog.findRoute('m')
  if (route === undefined) throw new Error('the catalog serves no m')
  return simulateRouting({
    route,
    catalog,
    arrivals: Array.from({ length: (END_MS / 1_000) * RATE }, (_, index) => index * (1_000 / RATE)),
    answer: (candidate, monotonicMs, random) => {
      const isSick =
        candidate.target.channel.name === 'sick' &&
        monotonicMs >= OUTAGE_FROM_MS &&
        monotonicMs < OUTAGE_TO_MS
      return isSick ? sick(random) : good
    },
    policy,
    seed: 1,
  })
}

function measure({ requests, calls, changes }: Simulation) {
  const answered = requests.filter(({ outcome }) => outcome === 'answered').length
  const opened = changes.find(({ to }) => to === 'open')
  const firstFailureMs = OUTAGE_FROM_MS
  const backMs = calls.find(
    ({ candidate, atMs }) =>
      candidate.target.channel.name === 'sick' && !candidate.isProbe && atMs > OUTAGE_TO_MS,
  )
  return {
    success: answered / requests.length,
    extra: calls.length / requests.length - 1,
    opensAfterMs: (opened?.atMs ?? Number.POSITIVE_INFINITY) - firstFailureMs,
    returnsAfterMs: (backMs?.atMs ?? Number.POSITIVE_INFINITY) - OUTAGE_TO_MS,
    maxPerSecond: maxPerSecond(calls.map(({ atMs }) => atMs)),
    sickShare:
      calls.filter(
        ({ candidate, atMs }) => candidate.target.channel.name === 'sick' && atMs > OUTAGE_TO_MS + 15_000,
      ).length / calls.filter(({ atMs }) => atMs > OUTAGE_TO_MS + 15_000).length,
  }
}

function maxPerSecond(times: readonly number[]): number {
  const seconds = Map.groupBy(times, (atMs) => Math.floor(atMs / 1_000))
  return Math.max(...[...seconds.values()].map(({ length }) => length))
}

describe('at 200 requests per second over two targets, one of which for a minute', () => {
  const outages: readonly (readonly [string, (random: Random) => SimulatedAnswer, number])[] = [
    ['fails always', () => ({ afterMs: 50, failure: fail('upstream_error') }), 0],
    [
      'fails in 30 of 100 calls',
      (random) => (random.fraction() < 0.3 ? { afterMs: 50, failure: fail('upstream_error') } : good),
      0,
    ],
    ['cannot be reached', () => ({ afterMs: 5, failure: fail('upstream_unreachable') }), 0],
    ['breaks in the middle', () => ({ afterMs: 400, failure: fail('upstream_disconnected') }), 0],
    ['answers 429 without a time', () => ({ afterMs: 20, failure: fail('upstream_rate_limited') }), 0],
    ['answers 429 and names 5 s', () => ({ afterMs: 20, failure: fail('upstream_rate_limited', 5) }), 0],
    // Nothing can be known before the first of them is over.
    ['is silent for 2 s', () => ({ afterMs: 2_000, failure: fail('upstream_timeout') }), 2_000],
  ]
  for (const [name, sick, silentMs] of outages) {
    it(`${name}, nearly all requests succeed, few calls are extra, and the target is back soon`, () => {
      const measured = measure(simulateOutage(sick))
      expect(measured.success).toBeGreaterThanOrEqual(0.999)
      expect(measured.extra).toBeLessThanOrEqual(0.1)
      expect(measured.opensAfterMs).toBeLessThanOrEqual(2_000 + silentMs)
      expect(measured.returnsAfterMs).toBeLessThanOrEqual(15_000)
      expect(measured.maxPerSecond).toBeLessThanOrEqual(RATE * 1.6)
      expect(measured.sickShare).toBeGreaterThan(0.45)
    })
  }

  it('is slow but answers, nothing fails and nothing is called twice', () => {
    const { requests, calls } = simulateOutage(() => ({ afterMs: 5_000 }))
    expect(requests.every(({ outcome }) => outcome === 'answered')).toBe(true)
    expect(calls.length).toBe(requests.length)
  })
})
