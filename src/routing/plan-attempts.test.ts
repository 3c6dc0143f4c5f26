import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import type { Target } from '../catalog/catalog.ts'
import { createCatalog } from '../catalog/create-catalog.ts'
import type { Random } from '../kit/random.ts'
import { orderTargets, planAttempts } from './plan-attempts.ts'

function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return {
    fraction() {
      // A linear congruential generator (Numerical Recipes); enough for shares.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    },
    bytes: (count) => Buffer.alloc(count),
  }
}

function target(name: string, priority: number, weight: number): Target {
  return {
    channel: createChannel({ name, models: { m: 'm' }, priority, weight }),
    upstreamModel: 'm',
    capabilities: {},
  }
}

describe('the plan', () => {
  it('puts a higher priority first, whatever the weights', () => {
    const targets = [target('low', 1, 100), target('high', 2, 1)]
    for (let seed = 0; seed < 50; seed += 1) {
      expect(orderTargets(targets, seededRandom(seed)).map(({ channel }) => channel.name)).toEqual([
        'high',
        'low',
      ])
    }
  })

  it('shares one priority by weight', () => {
    const random = seededRandom(7)
    const targets = [target('three', 1, 3), target('one', 1, 1)]
    let first = 0
    for (let round = 0; round < 10_000; round += 1) {
      if (orderTargets(targets, random)[0]?.channel.name === 'three') first += 1
    }
    expect(first / 10_000).toBeGreaterThan(0.73)
    expect(first / 10_000).toBeLessThan(0.77)
  })

  it('goes through every channel before a second credential, beginning with the one whose turn it is', () => {
    const keys = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `${name}#${index}`, secret: 'secret-of-8' }))
    const many = { ...target('many', 2, 1).channel, credentials: keys('many', 3) }
    const one = { ...target('one', 1, 1).channel, credentials: keys('one', 1) }
    const targets = [many, one].map((channel) => ({ channel, upstreamModel: 'm', capabilities: {} }))
    const plan = planAttempts({
      route: { publicName: 'm', targets, strategy: 'priority-weighted', fallbacks: [] },
      catalog: createCatalog({ channels: [], entries: [], lists: new Map(), createdAtSeconds: 0 }),
      random: seededRandom(1),
      turnOf: () => 2,
    })
    expect(plan.map(({ credential }) => credential?.id)).toEqual(['many#2', 'one#0', 'many#0', 'many#1'])
  })

  it('never names a candidate twice', () => {
    const someTargets = fc.array(
      fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), priority: fc.nat(2), weight: fc.nat(3) }),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(someTargets, fc.nat(), (made, seed) => {
        const plan = planAttempts({
          route: {
            publicName: 'm',
            targets: made.map(({ name, priority, weight }) => target(name, priority, weight)),
            strategy: 'priority-weighted',
            fallbacks: [],
          },
          catalog: createCatalog({ channels: [], entries: [], lists: new Map(), createdAtSeconds: 0 }),
          random: seededRandom(seed),
          turnOf: () => 0,
        })
        const names = plan.map((candidate) => candidate.target.channel.name)
        expect(new Set(names).size).toBe(names.length)
        expect(new Set(names)).toEqual(new Set(made.map(({ name }) => name)))
      }),
      { numRuns: 500 },
    )
  })
})
