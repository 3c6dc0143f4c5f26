import type { Capabilities } from './capabilities.ts'
import type { Channel } from './channel.ts'
import type { PriceHistory } from './prices/price.ts'
import type { ModelLimits } from './prices/price-table.ts'
import type { Strategy } from './strategy.ts'

/** One channel and the upstream's name of the model there. */
export interface Target {
  readonly channel: Channel
  readonly upstreamModel: string
  /** What the operator states of the model, over what the provider declares. */
  readonly capabilities: Capabilities
  /** The operator's, else those of the price table; absent where neither has the model. */
  readonly prices?: PriceHistory
  /** What the price table knows of the model; what the operator or the provider declares stands above it. */
  readonly limits?: ModelLimits
  /** The weight that the operator gives the target for this alias, in place of the channel's. */
  readonly weight?: number
}

/** A target's share beside those of its priority. */
export function weightOf({ weight, channel }: Target): number {
  return weight ?? channel.weight
}

/** What a public name leads to: the whole set that an attempt may use (invariant 11). */
export interface Route {
  readonly publicName: string
  /** In no order; the plan orders them by priority and weight. Never empty, none twice. */
  readonly targets: readonly Target[]
  /** How the targets of one priority are ordered. */
  readonly strategy: Strategy
  /** Public names to try when every target failed, in order; resolved by the catalog, no cycles. */
  readonly fallbacks: readonly string[]
}

export interface PublicModel {
  readonly name: string
  /** The provider of the first target, such as `openai`. */
  readonly ownedBy: string
  readonly createdAtSeconds: number
  /** What lists show people, where the operator gives it. */
  readonly displayName?: string
  readonly description?: string
}

/** What can be served at one moment. Never changed: a new configuration or model list makes a new one. */
export interface Catalog {
  readonly channels: readonly Channel[]
  /** Exact match of the public name, case-sensitive. */
  findRoute(publicName: string): Route | undefined
  /** Sorted by name. */
  readonly models: readonly PublicModel[]
  /** Channels that serve what their upstream lists, of which no list could be read yet: any name may be theirs. */
  readonly unlisted: readonly string[]
}

/** The source from which the pipeline takes the current catalog. */
export interface CatalogSource {
  current(): Catalog
}
