import { type Route, type Target, weightOf } from '../../catalog/catalog.ts'
import {
  type ComparedState,
  type Comparison,
  type FoundEffect,
  groupByText,
  listNames,
} from './comparison.ts'
import type { TargetShare } from './effect-contract.ts'

/** Added and removed public names, and changed routes of the others. */
export function compareRoutes({ before, after }: Comparison): readonly FoundEffect[] {
  const [old, next] = [readRoutes(before), readRoutes(after)]
  const common = [...old].flatMap(([name, route]) => {
    const other = next.get(name)
    return other === undefined ? [] : [{ name, before: route, after: other }]
  })
  return [
    ...describeServed(old, next),
    ...describeUnlisted(before, after),
    ...describeTargets(common),
    ...describeReserves(common),
    ...describeStrategies(common),
  ]
}

/** A route in words. */
interface WrittenRoute {
  readonly strategy: string
  /** The targets of the highest priority, each with its share in percent. */
  readonly shares: ReadonlyMap<string, number>
  /** The other targets, followed by the fallbacks. They are tried only after the targets of the highest priority. */
  readonly reserves: readonly string[]
}

interface ComparedRoute {
  readonly name: string
  readonly before: WrittenRoute
  readonly after: WrittenRoute
}

function readRoutes({ catalog, config }: ComparedState): ReadonlyMap<string, WrittenRoute> {
  const aliases = new Set(
    config.models.flatMap(({ publicName, targets }) => (targets === undefined ? [] : [publicName])),
  )
  return new Map(
    catalog.models.flatMap(({ name }) => {
      const route = catalog.findRoute(name)
      return route === undefined ? [] : [[name, writeRoute(route, aliases.has(name))] as const]
    }),
  )
}

function writeRoute({ targets, strategy, fallbacks }: Route, isAlias: boolean): WrittenRoute {
  const nameOf = (target: Target) => (isAlias ? writeTarget(target) : target.channel.name)
  const highest = targets.reduce(
    (rank, { channel }) => Math.max(rank, channel.priority),
    Number.NEGATIVE_INFINITY,
  )
  const first = targets.filter(({ channel }) => channel.priority === highest)
  const sum = first.reduce((all, target) => all + weightOf(target), 0)
  return {
    strategy,
    shares: new Map(first.map((target) => [nameOf(target), roundPercent(weightOf(target) / sum)])),
    reserves: [...targets.filter((target) => !first.includes(target)).map(nameOf), ...fallbacks],
  }
}

/** The target as an alias names it: by a public name of the channel, where there is one. */
function writeTarget({ channel, upstreamModel }: Target): string {
  const named = channel.models.type === 'named' ? [...channel.models.upstreamNames] : []
  const found = named.find(([, upstream]) => upstream === upstreamModel)
  return `${channel.name}/${found?.[0] ?? upstreamModel}`
}

function roundPercent(share: number): number {
  return Math.round(share * 1_000) / 10
}

function describeServed(
  old: ReadonlyMap<string, WrittenRoute>,
  next: ReadonlyMap<string, WrittenRoute>,
): FoundEffect[] {
  const gone = [...old.keys()].filter((name) => !next.has(name))
  const added = [...next.keys()].filter((name) => !old.has(name))
  return [
    ...(gone.length === 0
      ? []
      : [{ type: 'models_unserved', severity: 'breaks', models: listNames(gone) } as const]),
    ...(added.length === 0
      ? []
      : [{ type: 'models_served', severity: 'adds', models: listNames(added) } as const]),
  ]
}

/** A channel whose list of models is not known. Its models are visible only after its provider was asked. */
function describeUnlisted(before: ComparedState, after: ComparedState): FoundEffect[] {
  const known = new Set(before.catalog.unlisted)
  const channels = after.catalog.unlisted.filter((name) => !known.has(name))
  if (channels.length === 0) return []
  return [{ type: 'models_unknown', severity: 'changes', channels: listNames(channels) }]
}

/** Routes with the same change make one effect, as a channel may serve thousands of names. */
function describeTargets(routes: readonly ComparedRoute[]): FoundEffect[] {
  const changed = routes
    .map((route) => ({ name: route.name, shares: compareShares(route) }))
    .filter(({ shares }) => shares.some(({ before, after }) => before !== after))
  return [...groupByText(changed, ({ shares }) => JSON.stringify(shares)).values()].map((group) => {
    const [{ shares }] = group
    return describeShares(listNames(group.map(({ name }) => name)), shares)
  })
}

function describeShares(models: ReturnType<typeof listNames>, shares: readonly TargetShare[]): FoundEffect {
  const [only, other] = [
    shares.filter(({ before }) => before !== null),
    shares.filter(({ after }) => after !== null),
  ]
  const [before, after] = [only[0], other[0]]
  if (only.length === 1 && other.length === 1 && before !== undefined && after !== undefined)
    return { type: 'first_target', severity: 'changes', models, before: before.target, after: after.target }
  return { type: 'shares', severity: 'changes', models, targets: [...shares] }
}

function compareShares({ before, after }: ComparedRoute): readonly TargetShare[] {
  const targets = [...new Set([...before.shares.keys(), ...after.shares.keys()])]
  return targets.map((target) => ({
    target,
    before: before.shares.get(target) ?? null,
    after: after.shares.get(target) ?? null,
  }))
}

function describeReserves(routes: readonly ComparedRoute[]): FoundEffect[] {
  const changed = routes.flatMap(({ name, before, after }) => {
    const calledTargets = (route: WrittenRoute) => [...route.shares.keys(), ...route.reserves]
    const [old, next] = [new Set(calledTargets(before)), new Set(calledTargets(after))]
    const added = after.reserves.filter((each) => !old.has(each))
    const removed = before.reserves.filter((each) => !next.has(each))
    return added.length + removed.length === 0 ? [] : [{ name, added, removed }]
  })
  return [...groupByText(changed, ({ added, removed }) => JSON.stringify([added, removed])).values()].map(
    (group): FoundEffect => ({
      type: 'reserves',
      severity: 'changes',
      models: listNames(group.map(({ name }) => name)),
      added: listNames(group[0].added),
      removed: listNames(group[0].removed),
    }),
  )
}

function describeStrategies(routes: readonly ComparedRoute[]): FoundEffect[] {
  const changed = routes.filter(({ before, after }) => before.strategy !== after.strategy)
  const alike = groupByText(changed, ({ before, after }) => `${before.strategy} ${after.strategy}`)
  return [...alike.values()].map((group): FoundEffect => {
    const [{ before, after }] = group
    const models = listNames(group.map(({ name }) => name))
    return { type: 'strategy', severity: 'changes', models, before: before.strategy, after: after.strategy }
  })
}
