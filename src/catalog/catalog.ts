import type { Capabilities } from './capabilities.ts'
import type { Channel } from './channel.ts'
import type { PriceHistory } from './prices/price.ts'
import type { ModelLimits } from './prices/price-table.ts'
import type { Strategy } from './strategy.ts'

/** One channel and the upstream's name of the model on that channel. */
export interface Target {
  readonly channel: Channel
  readonly upstreamModel: string
  /** The operator's statements about the model. They replace the provider's declarations. */
  readonly capabilities: Capabilities
  /** The operator's prices, else those of the price table. Absent where neither has the model. */
  readonly prices?: PriceHistory | undefined
  /** The price table's limits of the model. Limits from the operator or the provider take precedence. */
  readonly limits?: ModelLimits | undefined
  /** The operator's weight of the target for this alias. It replaces the channel's weight. */
  readonly weight?: number | undefined
}

/** The target's share among the targets of its priority. */
export function weightOf({ weight, channel }: Target): number {
  return weight ?? channel.weight
}

/** The targets of a public name. Attempts may use only these targets (invariant 11). */
export interface Route {
  readonly publicName: string
  /**
   * The targets in no particular order. The plan orders them by priority and weight. There is at least one, and no
   * target occurs twice.
   */
  readonly targets: readonly Target[]
  /** The order among targets of one priority. */
  readonly strategy: Strategy
  /** Public names to try, in order, when every target failed. The catalog resolves them, so there are no cycles. */
  readonly fallbacks: readonly string[]
}

export interface PublicModel {
  readonly name: string
  /** The provider of the first target, such as `openai`. */
  readonly ownedBy: string
  readonly createdAtSeconds: number
  /** The name that lists show to people, where the operator sets one. */
  readonly displayName?: string
  readonly description?: string
}

/**
 * Everything that can be served at one moment. A catalog never changes: a new configuration or model list creates a new
 * catalog.
 */
export interface Catalog {
  readonly channels: readonly Channel[]
  /** Finds the route by an exact match of the public name, case-sensitive. */
  findRoute(publicName: string): Route | undefined
  /** The models, sorted by name. */
  readonly models: readonly PublicModel[]
  /**
   * Channels that serve their upstream's model list, where no list could be read yet. Any model name may be in such a
   * list.
   */
  readonly unlisted: readonly string[]
}

/** The source of the current catalog for the pipeline. */
export interface CatalogSource {
  current(): Catalog
}
