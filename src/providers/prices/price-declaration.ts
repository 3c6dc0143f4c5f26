import type { Channel } from '../../catalog/channel.ts'

/** The names by which a provider's models are found in the price table. */
export interface PriceDeclaration {
  /**
   * The names of the provider in LiteLLM's price file; where two of them have a model, the first has its price. Absent
   * where the file has no prices of it.
   */
  readonly litellm?: readonly string[]
  /** The prefix of the model's name in the file's keys, with a slash between. */
  readonly litellmPrefix?: string
  /** The model's name in a key of the file without its prefix; undefined where it is no model of the provider. */
  readLitellmName?(name: string): string | undefined
  /** Whether longer rates begin at a length of the input, not above it. */
  readonly hasInclusiveThresholds?: true
  /** The names under which the table may have a model's price, the best first; the model's own where it is absent. */
  namesOf?(model: string, channel: Channel): readonly string[]
  /** The region in which all of the channel's answers are computed, where it has a surcharge. */
  regionOf?(channel: Channel): string | undefined
  /** Whether answers name the region in which they were computed. */
  readonly namesRegion?: true
  /** Whether nothing of a model's input is written to a cache but what a request marks. */
  cachesMarkedOnly?(model: string): boolean
  /** The dollars of a call of each tool where the file does not have them. */
  readonly toolDollars?: Readonly<Record<string, number>>
  /** Whether searches of a model are billed once for an answer, where the file does not say that each is billed. */
  searchesByAnswer?(name: string): boolean
  /** The models that the provider gives away. */
  readonly freeModels?: RegExp
  /** Whether the server is the operator's own, which sends no bill. */
  readonly isFree?: true
}
