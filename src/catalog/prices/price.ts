import type { NanoDollars } from '../../canonical/money.ts'
import type { Branded } from '../../kit/brand.ts'

/** Names one immutable version of a model's price, such as `openai/gpt-4o@2026-11-01`. */
export type PriceVersionId = Branded<string, 'PriceVersionId'>

/**
 * The rates of a million tokens of each class. An absent class costs what the class it belongs to costs: every kind of
 * input falls back to `input`, every kind of output to `output`.
 */
export interface PriceRates {
  readonly input: NanoDollars
  readonly cacheRead?: NanoDollars
  /** Falls back to `cacheRead`. */
  readonly cacheReadAudio?: NanoDollars
  /** The rate of input written to a cache of 5 minutes, or of a time that the provider does not state. */
  readonly cacheWrite?: NanoDollars
  /** The rate of input written to a cache of an hour or longer. Falls back to `cacheWrite`. */
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

/** The rates of one service tier, for requests whose whole input is above a length. */
export interface PriceSheet {
  readonly tier: PriceTier
  /** 0 for the rates that every request starts with. */
  readonly aboveInputTokens: number
  /** The hours in which it replaces the others of its tier; absent where it is in force at any hour. */
  readonly hours?: readonly PriceHours[]
  readonly rates: PriceRates
}

/** Hours of some days of the week, in UTC. */
export interface PriceHours {
  /** Days of the week, 0 for Sunday. */
  readonly weekdays: readonly number[]
  readonly fromMinute: number
  /** The first minute that is not part of it: at most 1,440. */
  readonly untilMinute: number
}

/** The price of a model from one moment on. It never changes: another price is another version. */
export interface PriceVersion {
  readonly id: PriceVersionId
  readonly effectiveFromMs: number
  /** `table`: ours, with the date of the source in its id; `override`: the operator's. */
  readonly source: 'table' | 'override'
  /** Holds `standard` from 0, at any hour, at least. */
  readonly sheets: readonly PriceSheet[]
  /** The price of a million calls of each tool that the provider bills, by the names of `Usage.toolCalls`. */
  readonly toolCalls: Readonly<Record<string, NanoDollars>>
  /** The factor of the tokens' cost in millionths, by the region in which the provider says it computed the answer. */
  readonly regionPpm?: Readonly<Record<string, number>>
  /** Tools that are billed once for an answer in which they were used, however often. */
  readonly toolsByAnswer?: readonly string[]
  /** Whether nothing is written to a cache but what a request marks. */
  readonly cachesMarkedOnly?: true
}

/** The versions of one price, the earlier first. Never empty. */
export type PriceHistory = readonly [PriceVersion, ...PriceVersion[]]

/** The terms under which an answer was served, as far as its price depends on them. */
export interface ServedTerms {
  readonly tier: PriceTier
  /** The moment of the bill: when the answer ended. */
  readonly atMs: number
  /** The region, such as `us`, where the answer names it. */
  readonly region?: string | undefined
}
