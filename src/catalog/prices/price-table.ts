import type { NanoDollars } from '../../canonical/money.ts'
import type { PriceHours, PriceRates, PriceTier } from './price.ts'

/** The stored prices of many models: integers in nano-dollars for a million of each unit. */
export interface PriceTable {
  /** The source of the table, such as `litellm 1.109.1`. */
  readonly source: string
  /** The day on which the source was read, such as `2026-11-23`. */
  readonly date: string
  /** The license of the source, which allows copies that include it. */
  readonly licence: string
  /** The models, sorted by provider and name. */
  readonly models: readonly TableModel[]
}

export interface TableModel {
  /** The provider's ID in the registry. */
  readonly provider: string
  /** The provider's name of the model. */
  readonly name: string
  /** The model's purpose in the source's words: `chat`, `embedding`, `responses`. */
  readonly mode: string
  readonly maxInputTokens?: number
  readonly maxOutputTokens?: number
  /** The versions, the earliest first. Empty where only the limits are known. */
  readonly versions: readonly TableVersion[]
}

export interface TableVersion {
  /** The first day on which a table had the price. The price may be older. */
  readonly from: string
  /** Empty where no tokens are billed. */
  readonly sheets: readonly TableSheet[]
  readonly toolCalls?: Readonly<Record<string, NanoDollars>>
  /** The tools that are billed once per answer, whatever the number of calls. */
  readonly toolsByAnswer?: readonly string[]
  /** The price of a million dollars' worth of tokens, in millionths, by the region that computes the answer. */
  readonly regionPpm?: Readonly<Record<string, number>>
  /**
   * The price of a million of each unit that is not a token, such as `second`, `character`, `image` and
   * `query`.
   */
  readonly units?: Readonly<Record<string, NanoDollars>>
}

/**
 * The rates of one sheet. By default the tier is `standard`, the input is above 0 tokens, and the hours are unlimited.
 */
export interface TableSheet extends PriceRates {
  readonly tier?: Exclude<PriceTier, 'standard'>
  readonly above?: number
  readonly hours?: readonly PriceHours[]
}

/** The tokens that a model can read and write in one request. */
export interface ModelLimits {
  readonly maxInputTokens?: number
  readonly maxOutputTokens?: number
}

/** Prints a table with one line per model, so that a changed model changes one line. */
export function printPriceTable({ source, date, licence, models }: PriceTable): string {
  const head = Object.entries({ source, date, licence }).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  const lines = models.map((model) => JSON.stringify(model)).join(',\n')
  return `{\n${head.join('\n')}\n"models": [\n${lines}\n]\n}\n`
}
