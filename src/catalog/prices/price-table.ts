import type { NanoDollars } from '../../canonical/money.ts'
import type { PriceHours, PriceRates, PriceTier } from './price.ts'

/** Prices of many models as they are stored: integers in nano-dollars for a million of each unit. */
export interface PriceTable {
  /** The source that it was made from, such as `litellm 1.109.1`. */
  readonly source: string
  /** The day on which the source was read, such as `2026-11-23`. */
  readonly date: string
  /** The terms of the source, which allow copies that carry them. */
  readonly licence: string
  /** The models, sorted by provider and name. */
  readonly models: readonly TableModel[]
}

export interface TableModel {
  /** An id of the provider registry. */
  readonly provider: string
  /** The provider's name of the model. */
  readonly name: string
  /** The model's purpose in the source's word: `chat`, `embedding`, `responses`. */
  readonly mode: string
  readonly maxInputTokens?: number
  readonly maxOutputTokens?: number
  /** The versions, the earlier first; empty where only the limits are known. */
  readonly versions: readonly TableVersion[]
}

export interface TableVersion {
  /** The first day on which a table had it: the price is as old or older. */
  readonly from: string
  /** Empty where nothing is billed by tokens. */
  readonly sheets: readonly TableSheet[]
  readonly toolCalls?: Readonly<Record<string, NanoDollars>>
  /** The tools that are billed once for an answer, whatever the number of calls. */
  readonly toolsByAnswer?: readonly string[]
  /** The price of a million dollars' worth of tokens, in millionths, by the region in which the answer is computed. */
  readonly regionPpm?: Readonly<Record<string, number>>
  /**
   * The price of a million of each unit that is not a token, such as `second`, `character`, `image` and
   * `query`.
   */
  readonly units?: Readonly<Record<string, NanoDollars>>
}

/** `standard`, above 0 tokens and at any hour where it says nothing else. */
export interface TableSheet extends PriceRates {
  readonly tier?: Exclude<PriceTier, 'standard'>
  readonly above?: number
  readonly hours?: readonly PriceHours[]
}

/** The tokens that a model can read and write in one exchange. */
export interface ModelLimits {
  readonly maxInputTokens?: number
  readonly maxOutputTokens?: number
}

/** One line a model, so that a change of one is a change of one line. */
export function printPriceTable({ source, date, licence, models }: PriceTable): string {
  const head = Object.entries({ source, date, licence }).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  const lines = models.map((model) => JSON.stringify(model)).join(',\n')
  return `{\n${head.join('\n')}\n"models": [\n${lines}\n]\n}\n`
}
