import type { NanoDollars } from '../../canonical/money.ts'
import type { Branded } from '../../kit/values/brand.ts'

/** Names one immutable version of a model's price, such as `openai/gpt-4o@2026-11-01`. */
export type PriceVersionId = Branded<string, 'PriceVersionId'>

/**
 * What a million tokens of each class cost. A class that is absent costs what the class it belongs to costs: every kind
 * of input falls back to `input`, every kind of output to `output`.
 */
export interface PriceRates {
  readonly input: NanoDollars
  readonly cacheRead?: NanoDollars
  /** Written to a cache of 5 minutes, or of a time that the provider does not state. */
  readonly cacheWrite?: NanoDollars
  /** Written to a cache of an hour. */
  readonly cacheWriteLong?: NanoDollars
  readonly inputAudio?: NanoDollars
  readonly inputImage?: NanoDollars
  readonly output: NanoDollars
  readonly reasoning?: NanoDollars
  readonly outputAudio?: NanoDollars
  readonly outputImage?: NanoDollars
}

export const priceTiers = ['standard', 'batch', 'flex', 'priority', 'fast'] as const
export type PriceTier = (typeof priceTiers)[number]

/** The rates of one service tier, for requests whose whole input is above a length. */
export interface PriceSheet {
  readonly tier: PriceTier
  /** 0 for the rates that every request starts with. */
  readonly aboveInputTokens: number
  readonly rates: PriceRates
}

/** What a model costs from one moment on. Never changed: another price is another version. */
export interface PriceVersion {
  readonly id: PriceVersionId
  readonly effectiveFromMs: number
  /** `table`: ours, with the date of the source in its id; `override`: the operator's. */
  readonly source: 'table' | 'override'
  /** Holds `standard` from 0 at least. */
  readonly sheets: readonly PriceSheet[]
  /** For a million calls of each tool that the provider bills, by the provider's name for it. */
  readonly toolCalls: Readonly<Record<string, NanoDollars>>
}
