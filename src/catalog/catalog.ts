import type { Capabilities } from './capabilities.ts'
import type { Channel } from './channel.ts'
import type { PriceHistory } from './prices/price.ts'
import type { ModelLimits } from './prices/price-table.ts'
import type { Strategy } from './strategy.ts'

/** One channel and the upstream's name of the model there. */
export interface Target {
  readonly channel: Channel
  readonly upstreamModel: string
  /** The operator's statements about the model, which replace the provider's declarations. */
  readonly capabilities: Capabilities
  /** The prices that the operator gives, else those of the price table; absent where neither has the model. */
  readonly prices?: PriceHistory | undefined
  /** The price table's limits of the model; what the operator or the provider declares takes precedence. */
  readonly limits?: ModelLimits | undefined
  /** The weight that the operator gives the target for this alias, in place of the channel's. */
  readonly weight?: number | undefined
}

/** A target's share beside those of its priority. */
export function weightOf({ weight, channel }: Target): number {
  return weight ?? channel.weight
}

/** The targets of a public name: the whole set that an attempt may use (invariant 11). */
export interface Route {
  readonly publicName: string
  /** The targets in no order; the plan orders them by priority and weight. There is at least one, and none twice. */
  readonly targets: readonly Target[]
  /** The order among targets of one priority. */
  readonly strategy: Strategy
  /** Public names to try when every target failed, in order; resolved by the catalog, no cycles. */
  readonly fallbacks: readonly string[]
}

export interface PublicModel {
  readonly name: string
  /** The provider of the first target, such as `openai`. */
  readonly ownedBy: string
  readonly createdAtSeconds: number
  /** The name that lists show people, where the operator gives one. */
  readonly displayName?: string
  readonly description?: string
}

/** All that can be served at one moment. A catalog never changes: a new configuration or model list makes a new one. */
export interface Catalog {
  readonly channels: readonly Channel[]
  /** Finds the route by an exact match of the public name, case-sensitive. */
  findRoute(publicName: string): Route | undefined
  /** The models, sorted by name. */
  readonly models: readonly PublicModel[]
  /** Channels that serve what their upstream lists, of which no list could be read yet: any name may be theirs. */
  readonly unlisted: readonly string[]
}

/** The source from which the pipeline takes the current catalog. */
export interface CatalogSource {
  current(): Catalog
}
