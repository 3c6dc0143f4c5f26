import { describe, expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { createRoutingFacts } from '../../test/support/routing-facts.ts'
import { createFailure } from '../canonical/failure.ts'
import type { Route, Target } from '../catalog/catalog.ts'
import { createCatalog } from '../catalog/create-catalog.ts'
import type { Candidate } from './candidate.ts'
import { type AttemptPlanInput, planAttempts } from './plan-attempts.ts'

const catalog = createCatalog({ channels: [], entries: [], lists: new Map(), createdAtSeconds: 0 })

interface TargetOptions {
  readonly priority?: number
  readonly keys?: number
  readonly concurrency?: number
}

function target(name: string, parts: TargetOptions = {}): Target {
  const { priority = 0, keys = 1, concurrency } = parts
  const credentials = Array.from({ length: keys }, (_, index) => ({
    id: `${name}#${index}`,
    secret: 'secret',
  }))
  return {
    channel: createChannel({ name, models: { m: 'm' }, priority, credentials, concurrency }),
    upstreamModel: 'm',
    capabilities: {},
  }
}

function routeOf(...targets: readonly Target[]): Route {
  return { publicName: 'm', targets, strategy: 'priority-weighted', fallbacks: [] }
}

type Facts = AttemptPlanInput['facts']

function plan(
  route: Route,
  facts: Facts = createRoutingFacts(),
  more: { monotonicMs?: number; atMs?: number } = {},
) {
  const { candidates, excluded } = planAttempts({
    route,
    catalog,
    operation: 'conversation',
    monotonicMs: 0,
    atMs: 0,
    isStream: true,
    facts,
    session: undefined,
    ...more,
  })
  return {
    candidates: candidates.map(
      ({ credential, isProbe }) => `${credential?.id}${isProbe ? ' as a probe' : ''}`,
    ),
    excluded: excluded.map(
      ({ credential, reason, untilMs }) => `${credential?.id}: ${reason} until ${untilMs}`,
    ),
  }
}

function candidateOf(route: Route, index = 0): Candidate {
  const [only] = route.targets
  if (only === undefined) throw new Error('the route has no target')
  return {
    target: only,
    credential: only.channel.credentials[index],
    publicName: 'm',
    operation: 'conversation',
    isProbe: false,
  }
}

describe('the plan', () => {
  it('puts a higher priority first, for any random draw', () => {
    const route = routeOf(target('low', { priority: 1 }), target('high', { priority: 2 }))
    for (let seed = 0; seed < 50; seed += 1) {
      expect(plan(route, createRoutingFacts(seed)).candidates).toEqual(['high#0', 'low#0'])
    }
  })

  it('tries a second credential before a lower priority, and further credentials after it', () => {
    const route = routeOf(target('many', { priority: 2, keys: 4 }), target('one', { priority: 1 }))
    expect(plan(route, { ...createRoutingFacts(), rotation: { turnOf: () => 2 } }).candidates).toEqual([
      'many#2',
      'many#3',
      'one#0',
      'many#0',
      'many#1',
    ])
  })

  it('leaves out a cooling credential, and reports until when', () => {
    const route = routeOf(target('many', { keys: 2 }))
    const facts = createRoutingFacts()
    const failure = createFailure('upstream_rate_limited', { retryAfterSeconds: 20 })
    facts.health.recordFailure(candidateOf(route), failure, { startedAtMs: 0, endedAtMs: 100 })
    expect(plan(route, facts, { monotonicMs: 200 })).toEqual({
      candidates: ['many#1'],
      excluded: ['many#0: rate-limited until 20100'],
    })
    expect(plan(route, facts, { monotonicMs: 20_100 }).candidates).toEqual(['many#0', 'many#1'])
  })

  it('includes a target that must prove itself in its position, as a probe', () => {
    const route = routeOf(target('high', { priority: 1 }), target('low'))
    const facts = createRoutingFacts()
    const failure = createFailure('upstream_model_missing')
    facts.health.recordFailure(candidateOf(route), failure, { startedAtMs: 0, endedAtMs: 0 })
    expect(plan(route, facts, { monotonicMs: 59_999 })).toEqual({
      candidates: ['low#0'],
      excluded: ['high#0: model-missing until 60000'],
    })
    expect(plan(route, facts, { monotonicMs: 60_000 }).candidates).toEqual(['high#0 as a probe', 'low#0'])
  })

  it('puts an overloaded target behind all others', () => {
    const route = routeOf(target('high', { priority: 1 }), target('low'))
    const facts = createRoutingFacts()
    const failure = createFailure('upstream_overloaded', { retryAfterSeconds: 20 })
    facts.health.recordFailure(candidateOf(route), failure, { startedAtMs: 0, endedAtMs: 0 })
    expect(plan(route, facts, { monotonicMs: 1 })).toEqual({ candidates: ['low#0', 'high#0'], excluded: [] })
  })

  it('leaves out a channel at its limit of concurrent calls', () => {
    const route = routeOf(target('full', { concurrency: 1 }))
    const facts = createRoutingFacts()
    expect(plan(route, facts).candidates).toEqual(['full#0'])
    facts.inFlight.tryAcquire(candidateOf(route).target)
    expect(plan(route, facts)).toEqual({ candidates: [], excluded: ['full#0: full until undefined'] })
    facts.inFlight.release(candidateOf(route).target)
    expect(plan(route, facts).candidates).toEqual(['full#0'])
  })

  it('puts the targets of a fallback behind those of the name itself', () => {
    const [first, second] = [
      createChannel({ name: 'a', models: { m: 'm' } }),
      createChannel({ name: 'b', models: { n: 'n' } }),
    ]
    const entries = [{ publicName: 'm', fallbacks: ['n'], capabilities: {} }]
    const withFallback = createCatalog({
      channels: [first, second],
      entries,
      lists: new Map(),
      createdAtSeconds: 0,
    })
    const route = withFallback.findRoute('m')
    if (route === undefined) throw new Error('the catalog serves no m')
    const { candidates } = planAttempts({
      route,
      catalog: withFallback,
      operation: 'conversation',
      monotonicMs: 0,
      atMs: 0,
      isStream: true,
      facts: createRoutingFacts(),
      session: undefined,
    })
    expect(candidates.map(({ publicName }) => publicName)).toEqual(['m', 'n'])
  })
})
