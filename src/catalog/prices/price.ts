import type { NanoDollars } from '../../canonical/money.ts'
import type { Branded } from '../../kit/brand.ts'

/** Identifies one immutable version of a model's price, such as `openai/gpt-4o@2026-11-01`. */
export type PriceVersionId = Branded<string, 'PriceVersionId'>

/**
 * The rates for a million tokens of each class. An absent class costs as much as its parent class: every kind of input
 * falls back to `input`, and every kind of output to `output`.
 */
export interface PriceRates {
  readonly input: NanoDollars
  readonly cacheRead?: NanoDollars
  /** The rate of audio from a cache. Falls back to `cacheRead`. */
  readonly cacheReadAudio?: NanoDollars
  /** The rate of input written to a cache that lives 5 minutes, or for a time that the provider does not state. */
  readonly cacheWrite?: NanoDollars
  /** The rate of input written to a cache that lives an hour or longer. Falls back to `cacheWrite`. */
  readonly cacheWriteLong?: NanoDollars
  readonly inputAudio?: NanoDollars
  readonly inputImage?: NanoDollars
  readonly output: NanoDollars
  readonly reasoning?: NanoDollars
  readonly outputAudio?: NanoDollars
  readonly outputImage?: NanoDollars
}

export type RateClass = keyof PriceRates

export const inputClasses = [
  'input',
  'cacheRead',
  'cacheReadAudio',
  'cacheWrite',
  'cacheWriteLong',
  'inputAudio',
  'inputImage',
] as const satisfies readonly RateClass[]

export const outputClasses = [
  'output',
  'reasoning',
  'outputAudio',
  'outputImage',
] as const satisfies readonly RateClass[]

export const priceTiers = ['standard', 'batch', 'flex', 'priority', 'fast', 'ultrafast'] as const
export type PriceTier = (typeof priceTiers)[number]

/** The rates of one service tier, for requests whose whole input exceeds a length. */
export interface PriceSheet {
  readonly tier: PriceTier
  /** The threshold of the input's length. 0 for the base rates. */
  readonly aboveInputTokens: number
  /** The hours in which the sheet replaces others of its tier. Absent where it applies at any hour. */
  readonly hours?: readonly PriceHours[]
  readonly rates: PriceRates
}

/** Hours on some days of the week, in UTC. */
export interface PriceHours {
  /** Days of the week, 0 for Sunday. */
  readonly weekdays: readonly number[]
  readonly fromMinute: number
  /** The first minute after the span, at most 1,440. */
  readonly untilMinute: number
}

/** The price of a model from one moment on. It never changes: a changed price is another version. */
export interface PriceVersion {
  readonly id: PriceVersionId
  readonly effectiveFromMs: number
  /**
   * `table`: from the built-in or the operator's table, with the source's date in the ID. `override`: from the
   * configuration.
   */
  readonly source: 'table' | 'override'
  /** The sheets. At least `standard` from 0 tokens at any hour is present. */
  readonly sheets: readonly PriceSheet[]
  /** The price of a million calls of each tool that the provider bills, by its name in `Usage.toolCalls`. */
  readonly toolCalls: Readonly<Record<string, NanoDollars>>
  /** The factor of the tokens' cost in millionths, by the region that the provider reports for the answer. */
  readonly regionPpm?: Readonly<Record<string, number>>
  /** Tools that are billed once per answer that used them, however often. */
  readonly toolsByAnswer?: readonly string[]
  /** The minimum number for which an answer that used a tool is billed, by the tool's name. */
  readonly minCalls?: Readonly<Record<string, number>>
  /** Whether input is written to a cache only where the request marks it. */
  readonly cachesMarkedOnly?: true
}

/** The versions of one price, the earliest first. Never empty. */
export type PriceHistory = readonly [PriceVersion, ...PriceVersion[]]

/** The terms of a served answer on which its price depends. */
export interface ServedTerms {
  readonly tier: PriceTier
  /** The time of the bill: the end of the answer. */
  readonly atMs: number
  /** The region, such as `us`, where the answer names it. */
  readonly region?: string | undefined
}
