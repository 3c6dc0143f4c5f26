import type { Channel } from '../../catalog/channel.ts'

/** The way to find a provider's models in the price table. */
export interface PriceDeclaration {
  /**
   * The provider's names in LiteLLM's price file. Where two of them have a model, the first one's price applies. Absent
   * where the file has no prices of the provider.
   */
  readonly litellm?: readonly string[]
  /** The prefix before the model's name in the file's keys, separated by a slash. */
  readonly litellmPrefix?: string
  /**
   * Reads the model's name from a key of the file without its prefix. Undefined where the key is not a model of the
   * provider.
   */
  readLitellmName?(name: string): string | undefined
  /** Whether the rates for long inputs start at exactly the threshold length, not above it. */
  readonly hasInclusiveThresholds?: true
  /** The names under which the table may have a model's price, the best first. Only the model's own name by default. */
  namesOf?(model: string, channel: Channel): readonly string[]
  /** The region that computes all of the channel's answers, where that region has a surcharge. */
  regionOf?(channel: Channel): string | undefined
  /** Whether answers name the region that computed them. */
  readonly namesRegion?: true
  /** Whether a model's input is written to a cache only where the request marks it. */
  cachesMarkedOnly?(model: string): boolean
  /** The minimum number of seconds for which a recording is billed. */
  readonly minSeconds?: number
  /** The price in dollars for a call of each tool, where the file has none. */
  readonly toolDollars?: Readonly<Record<string, number>>
  /** Whether a model's searches are billed once per answer, where the file does not say that each search is billed. */
  searchesByAnswer?(name: string): boolean
  /** The models that the provider gives away. */
  readonly freeModels?: RegExp
  /** Whether the operator runs the server, which sends no bill. */
  readonly isFree?: true
}
