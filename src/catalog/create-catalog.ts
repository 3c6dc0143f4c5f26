import type { Catalog, CatalogSource, PublicModel, Route, Target } from './catalog.ts'
import type { Channel } from './channel.ts'
import type { ModelEntry, TargetName } from './model-entry.ts'
import type { FindKnownModel } from './prices/find-price.ts'
import { mergePriceHistories } from './prices/price-history.ts'

export interface CatalogContents {
  readonly channels: readonly Channel[]
  readonly entries: readonly ModelEntry[]
  /** The latest model lists of the upstreams of `listed` channels, by the channel's name. */
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** Finds known facts about models for which the operator states none. Absent where no facts are known. */
  readonly findKnownModel?: FindKnownModel
  /** The creation date for every model, since most upstreams do not report one. */
  readonly createdAtSeconds: number
}

/**
 * Creates a catalog. Targets that cannot be served now are left out, such as an alias of a channel whose list does not
 * have the name yet. `findModelProblems` reports targets that could never be served.
 */
export function createCatalog(contents: CatalogContents): Catalog {
  const routes = new Map<string, Route>()
  const entries = new Map(contents.entries.map((entry) => [entry.publicName, entry]))
  const served = findServed(contents)
  for (const publicName of new Set([...served.keys(), ...entries.keys()])) {
    const targets = findTargets(publicName, { contents, entries, served })
    const strategy = entries.get(publicName)?.strategy ?? 'priority-weighted'
    if (targets.length > 0) routes.set(publicName, { publicName, targets, strategy, fallbacks: [] })
  }
  for (const [publicName, route] of routes) {
    const fallbacks = resolveFallbacks(publicName, entries).filter((name) => routes.has(name))
    routes.set(publicName, { ...route, fallbacks })
  }
  const models = [...routes.values()].map((route) =>
    describe(route, entries.get(route.publicName), contents.createdAtSeconds),
  )
  return Object.freeze({
    channels: contents.channels,
    findRoute: (publicName: string) => routes.get(publicName),
    unlisted: contents.channels
      .filter(({ name, models }) => models.type === 'listed' && !contents.lists.has(name))
      .map(({ name }) => name),
    models: models.sort((left, right) => (left.name < right.name ? -1 : 1)),
  })
}

/** A model of a channel, before settings are applied. */
interface Served {
  readonly channel: Channel
  /** The channel's name of the model. */
  readonly servedName: string
  readonly upstreamModel: string
  /** The operator's weight for one alias. */
  readonly weight?: number | undefined
}

/** Finds the names that channels serve without an alias, each with its channels and the upstream's names. */
function findServed(contents: CatalogContents): Map<string, Served[]> {
  const served = new Map<string, Served[]>()
  for (const channel of contents.channels) {
    for (const [servedName, upstreamModel] of namesOf(channel, contents.lists)) {
      const one = { channel, servedName, upstreamModel }
      const known = served.get(servedName)
      if (known === undefined) served.set(servedName, [one])
      else known.push(one)
    }
  }
  return served
}

function namesOf(
  channel: Channel,
  lists: CatalogContents['lists'],
): Iterable<readonly [publicName: string, upstreamModel: string]> {
  if (channel.models.type === 'named') return channel.models.upstreamNames
  return [...new Set(lists.get(channel.name))].map((name) => [name, name] as const)
}

interface Known {
  readonly contents: CatalogContents
  readonly entries: ReadonlyMap<string, ModelEntry>
  readonly served: ReadonlyMap<string, readonly Served[]>
}

function findTargets(publicName: string, known: Known): readonly Target[] {
  const entry = known.entries.get(publicName)
  const written = entry?.targets
  if (written === undefined) {
    const served = known.served.get(publicName) ?? []
    return served.map((one) => createTarget(one, [entry], known.contents))
  }
  return withoutRepeats(written.flatMap((name) => findTarget(name, entry, known) ?? []))
}

/** Removes repeated targets. Two names may point to the same model of a channel, and the first one stays. */
function withoutRepeats(targets: readonly Target[]): readonly Target[] {
  const byKey = new Map<string, Target>()
  for (const target of targets) {
    const key = JSON.stringify([target.channel.name, target.upstreamModel])
    if (!byKey.has(key)) byKey.set(key, target)
  }
  return [...byKey.values()]
}

/** Finds a target. Settings of the channel's own name apply, and settings of the alias override them. */
function findTarget(name: TargetName, alias: ModelEntry | undefined, known: Known): Target | undefined {
  const channel = known.contents.channels.find((one) => one.name === name.channel)
  if (channel === undefined) return undefined
  const upstreamModel =
    channel.models.type === 'named' ? channel.models.upstreamNames.get(name.model) : name.model
  if (upstreamModel === undefined) return undefined
  const ofName = known.entries.get(name.model)
  const inherited = ofName?.targets === undefined ? ofName : undefined
  const served = { channel, servedName: name.model, upstreamModel }
  return createTarget({ ...served, weight: name.weight }, [inherited, alias], known.contents)
}

/** Creates a target. Each entry overrides the previous entry, and the channel's own prices override all. */
function createTarget(
  { channel, servedName, upstreamModel, weight }: Served,
  entries: readonly (ModelEntry | undefined)[],
  { findKnownModel }: CatalogContents,
): Target {
  const known = findKnownModel?.(channel, upstreamModel)
  const prices = [...entries.map((entry) => entry?.prices), channel.prices?.get(servedName)].reduce(
    (below, above) => mergePriceHistories(above, below),
    known?.prices,
  )
  return {
    channel,
    upstreamModel,
    capabilities: Object.assign({}, ...entries.map((entry) => entry?.capabilities)),
    prices,
    limits: known?.limits,
    weight,
  }
}

/**
 * Resolves the fallbacks of a name: its own in the written order, then theirs. Each name occurs once, and never the
 * name itself.
 */
function resolveFallbacks(publicName: string, entries: ReadonlyMap<string, ModelEntry>): readonly string[] {
  const found = new Set([publicName])
  for (const name of found) {
    for (const fallback of entries.get(name)?.fallbacks ?? []) found.add(fallback)
  }
  found.delete(publicName)
  return [...found]
}

function describe(route: Route, entry: ModelEntry | undefined, createdAtSeconds: number): PublicModel {
  return {
    name: route.publicName,
    ownedBy: route.targets[0]?.channel.provider ?? '',
    createdAtSeconds,
    ...(entry?.displayName !== undefined && { displayName: entry.displayName }),
    ...(entry?.description !== undefined && { description: entry.description }),
  }
}

interface CatalogHolder extends CatalogSource {
  /** Replaces the catalog that `current` returns. Requests in flight keep their catalog. */
  replace(catalog: Catalog): void
}

export function createCatalogHolder(initial: Catalog): CatalogHolder {
  let held = initial
  return {
    current: () => held,
    replace(catalog) {
      held = catalog
    },
  }
}
