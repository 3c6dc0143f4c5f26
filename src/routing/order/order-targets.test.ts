import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { nanoDollarsOf } from '../../canonical/money.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { PriceRates, PriceVersion, PriceVersionId } from '../../catalog/prices/price.ts'
import { strategies } from '../../catalog/strategy.ts'
import { brand } from '../../kit/brand.ts'
import { type Hash, hashText } from '../../kit/bytes/hash.ts'
import { createSeededRandom } from '../../kit/random/seeded-random.ts'
import { findAffinityTarget } from './affinity.ts'
import type { OrderFacts } from './order-facts.ts'
import { orderTargets } from './order-targets.ts'

function target(name: string, weight = 1, dollars?: readonly [number, number, number]): Target {
  const [input, cached, output] = (dollars ?? []).map(nanoDollarsOf)
  return {
    channel: createChannel({ name, models: { m: 'm' }, weight }),
    upstreamModel: 'm',
    capabilities: {},
    ...(input !== undefined && cached !== undefined && output !== undefined
      ? { prices: [priceOf({ input, cacheRead: cached, output })] }
      : {}),
  }
}

function priceOf(rates: PriceRates): PriceVersion {
  const sheets = [{ tier: 'standard', aboveInputTokens: 0, rates }] as const
  return { id: brand<PriceVersionId>('test'), effectiveFromMs: 0, source: 'override', sheets, toolCalls: {} }
}

const weighted = [target('three', 3), target('two', 2), target('one', 1)]

function factsOf(more: Partial<OrderFacts> = {}): OrderFacts {
  return {
    random: createSeededRandom(1),
    atMs: 0,
    session: undefined,
    latencyOf: () => undefined,
    inFlightOf: () => 0,
    ...more,
  }
}

const namesOf = (targets: readonly Target[]) => targets.map(({ channel }) => channel.name)
const sessions = Array.from({ length: 30_000 }, (_, index) => hashText(`session ${index}`))

function sharesOf(firsts: readonly (Target | undefined)[]): Readonly<Record<string, number>> {
  const groups = Object.groupBy(firsts, (first) => first?.channel.name ?? '')
  return Object.fromEntries(
    Object.entries(groups).map(([name, own = []]) => [name, own.length / firsts.length]),
  )
}

describe('the order by weight', () => {
  it('shares follow the weights, by chance and by conversation', () => {
    const facts = factsOf()
    const byChance = sessions.map(() => orderTargets['priority-weighted'](weighted, facts)[0])
    const bySession = sessions.map(
      (session) => orderTargets['priority-weighted'](weighted, { ...facts, session })[0],
    )
    for (const shares of [sharesOf(byChance), sharesOf(bySession)]) {
      expect(shares['three']).toBeCloseTo(3 / 6, 1.9)
      expect(shares['two']).toBeCloseTo(2 / 6, 1.9)
      expect(shares['one']).toBeCloseTo(1 / 6, 1.9)
    }
  })

  it('a target’s own weight overrides its channel’s', () => {
    const canary = [
      { ...target('stable', 1), weight: 9 },
      { ...target('canary', 50), weight: 1 },
    ]
    const facts = factsOf()
    const byChance = sessions.map(() => orderTargets['priority-weighted'](canary, facts)[0])
    const bySession = sessions.map((session) => findAffinityTarget(session, canary))
    for (const shares of [sharesOf(byChance), sharesOf(bySession)]) {
      expect(shares['stable']).toBeCloseTo(0.9, 1.9)
      expect(shares['canary']).toBeCloseTo(0.1, 1.9)
    }
    expect(namesOf(orderTargets['least-busy'](canary, factsOf()))).toEqual(['stable', 'canary'])
  })

  it('a conversation stays on its target, and moves only if it loses that target', () => {
    const left = weighted.slice(1)
    const moved: (Target | undefined)[] = []
    for (const session of sessions) {
      const before = findAffinityTarget(session, weighted)
      const after = findAffinityTarget(session, left)
      if (before?.channel.name === 'three') moved.push(after)
      else expect(after).toBe(before)
    }
    // Over the rest by their weights.
    expect(sharesOf(moved)['two']).toBeCloseTo(2 / 3, 1.9)
  })
})

describe('the order by latency', () => {
  const measured = [target('slow'), target('fast')]
  const latencyOf = ({ channel }: Target) => (channel.name === 'fast' ? 100 : 400)

  it('the fastest target goes first, but not always', () => {
    const facts = factsOf({ latencyOf })
    const shares = sharesOf(sessions.map(() => orderTargets['least-latency'](measured, facts)[0]))
    expect(shares['fast']).toBeGreaterThan(0.97)
    expect(shares['slow']).toBeGreaterThan(0.005)
  })

  it('an unmeasured target goes first, one call at a time', () => {
    const order = (calls: number) => {
      const facts = factsOf({
        latencyOf: ({ channel }) => (channel.name === 'fast' ? 100 : undefined),
        inFlightOf: ({ channel }) => (channel.name === 'slow' ? calls : 0),
      })
      return namesOf(orderTargets['least-latency'](measured, facts))
    }
    expect(order(0)).toEqual(['slow', 'fast'])
    expect(order(1)).toEqual(['fast', 'slow'])
  })

  it('a warm cache outweighs a small difference in latency but not a large one', () => {
    const session = sessions.find((one) => findAffinityTarget(one, measured)?.channel.name === 'slow')
    const firstAt = (slowMs: number) => {
      const facts = factsOf({ session, latencyOf: ({ channel }) => (channel.name === 'fast' ? 100 : slowMs) })
      return namesOf(orderTargets['least-latency'](measured, facts))[0]
    }
    expect(firstAt(120)).toBe('slow')
    expect(firstAt(400)).toBe('fast')
  })
})

describe('the order by load', () => {
  it('each call goes to the target with the smallest load for its weight', () => {
    const calls = new Map<string, number>()
    const inFlightOf = ({ channel }: Target) => calls.get(channel.name) ?? 0
    const facts = factsOf({ inFlightOf })
    for (let count = 0; count < 600; count += 1) {
      const [first] = orderTargets['least-busy'](weighted, facts)
      if (first !== undefined) calls.set(first.channel.name, inFlightOf(first) + 1)
    }
    expect(Object.fromEntries(calls)).toEqual({ three: 300, two: 200, one: 100 })
  })
})

describe('the order by price', () => {
  const priced = [target('dear', 1, [3, 0.3, 15]), target('cheap', 1, [2.5, 1.25, 10]), target('unknown', 9)]

  it('the cheapest target goes first and targets without a price last', () => {
    expect(namesOf(orderTargets.cheapest(priced, factsOf()))).toEqual(['cheap', 'dear', 'unknown'])
  })

  it('a conversation stays where its cached prompt is cheaper', () => {
    const session = sessions.find((one) => findAffinityTarget(one, priced)?.channel.name === 'dear')
    expect(namesOf(orderTargets.cheapest(priced, factsOf({ session })))).toEqual(['dear', 'cheap', 'unknown'])
  })
})

it('every order lists every target once, whatever is known of them', () => {
  const someTargets = fc.uniqueArray(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 9 })), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(
      someTargets,
      fc.constantFrom(...strategies),
      fc.option(fc.string(), { nil: undefined }),
      fc.nat(),
      (made, strategy, session, seed) => {
        const targets = made.map(([name, weight]) => target(`t${name}`, weight))
        const hash: Hash | undefined = session === undefined ? undefined : hashText(session)
        const random = createSeededRandom(seed)
        const latencyOf = () => (random.fraction() < 0.5 ? undefined : random.fraction() * 100)
        const ordered = orderTargets[strategy](targets, factsOf({ random, session: hash, latencyOf }))
        expect(namesOf(ordered).sort()).toEqual(namesOf(targets).sort())
      },
    ),
    { numRuns: 2_000 },
  )
})
