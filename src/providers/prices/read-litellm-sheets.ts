import type { NanoDollars } from '../../canonical/money.ts'
import {
  inputClasses,
  outputClasses,
  type PriceHours,
  type PriceRates,
  type RateClass,
} from '../../catalog/prices/price.ts'
import type { TableSheet } from '../../catalog/prices/price-table.ts'
import { spanHours } from '../../catalog/prices/span-hours.ts'
import { brand } from '../../kit/brand.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'

/** The names of each class's rate in LiteLLM's price file. The first name that an entry has applies. */
const keysOf: Readonly<Record<RateClass, readonly string[]>> = {
  input: ['input_cost_per_token'],
  cacheRead: ['cache_read_input_token_cost', 'input_cost_per_token_cache_hit'],
  cacheReadAudio: ['cache_read_input_audio_token_cost'],
  cacheWrite: ['cache_creation_input_token_cost'],
  cacheWriteLong: ['cache_creation_input_token_cost_above_1hr', 'cache_creation_input_token_cost_above_12hr'],
  inputAudio: ['input_cost_per_audio_token'],
  inputImage: ['input_cost_per_image_token'],
  output: ['output_cost_per_token'],
  reasoning: ['output_cost_per_reasoning_token'],
  outputAudio: ['output_cost_per_audio_token'],
  outputImage: ['output_cost_per_image_token'],
}

const rateClasses: readonly RateClass[] = [...inputClasses, ...outputClasses]

const tierSuffixes = {
  batch: '_batches',
  flex: '_flex',
  priority: '_priority',
  ultrafast: '_ultrafast',
} as const

type SuffixedTier = keyof typeof tierSuffixes

type Rates = { [Class in RateClass]?: NanoDollars }

interface SheetOptions {
  /** Whether the rates for long inputs start at exactly the threshold length, not above it. */
  readonly hasInclusiveThresholds: boolean
  readonly writesText: boolean
}

/** Reads the rates of an entry. Empty where no tokens are billed, or where a rate of 0 may also mean unknown. */
export function readLitellmSheets(entry: JsonObject, options: SheetOptions): readonly TableSheet[] {
  const standard = readStandardSheets(entry, options)
  const [base] = standard
  if (base === undefined || base.input + base.output === 0) return []
  if (base.output === 0 && options.writesText) return []
  return [
    ...standard,
    ...Object.keys(tierSuffixes)
      .filter(isSuffixedTier)
      .flatMap((tier) => readTierSheets(entry, tier, standard)),
    ...readFastSheets(entry, standard),
    ...readOffPeakSheets(entry, base),
  ]
}

/** Whether a key of an entry is a token price that the reader understands. */
export function isKnownTokenRate(key: string): boolean {
  return knownTokenRate.test(key)
}

const classKeys = Object.values(keysOf).flat().join('|')
const knownTokenRate = new RegExp(
  `^(?:${classKeys})(?:_above_\\d+k?_tokens)?(?:${Object.values(tierSuffixes).join('|')})?$`,
)

function isSuffixedTier(name: string): name is SuffixedTier {
  return Object.hasOwn(tierSuffixes, name)
}

function readStandardSheets(entry: JsonObject, options: SheetOptions): readonly TableSheet[] {
  const tiered = entry['tiered_pricing']
  if (isJsonArray(tiered) && tiered.length > 0) return readRanges(tiered.filter(isJsonObject))
  const rates = readRates(entry, '')
  const base = complete(rates)
  if (base === undefined) return []
  return [
    base,
    ...thresholdsOf(entry).map(({ words, tokens }) => ({
      above: options.hasInclusiveThresholds ? tokens - 1 : tokens,
      ...fillFrom(readRates(entry, `_above_${words}_tokens`), base),
    })),
  ]
}

/**
 * Reads Alibaba's form: each range of input lengths has its own rates, and a class without a rate costs as much as
 * input.
 */
function readRanges(ranges: readonly JsonObject[]): readonly TableSheet[] {
  return ranges.flatMap((range) => {
    const [from] = isJsonArray(range['range']) ? range['range'] : []
    const rates = complete(readRates(range, ''))
    if (typeof from !== 'number' || rates === undefined) return []
    return [{ ...(from > 0 && { above: from }), ...rates }]
  })
}

/**
 * Completes the rates. A price that exists only for images applies to all output. Some entries have a rate of 0 next to
 * a nonzero rate, for example for cache writes. Such a 0 is left out, so that no class is free by mistake.
 */
function complete(rates: Rates): PriceRates | undefined {
  const { input } = rates
  if (input === undefined) return undefined
  const output = rates.output === 0 || rates.output === undefined ? rates.outputImage : rates.output
  const stated = Object.entries(rates).filter(([, rate]) => rate > 0 || input === 0)
  return { ...Object.fromEntries(stated), input, output: output ?? brand<NanoDollars>(0) }
}

function thresholdsOf(entry: JsonObject): readonly { readonly words: string; readonly tokens: number }[] {
  const words = new Set(
    Object.keys(entry).flatMap(
      (key) => /^(?:input|output)_cost_per_token_above_(\d+k?)_tokens$/.exec(key)?.[1] ?? [],
    ),
  )
  return [...words]
    .map((each) => ({ words: each, tokens: Number.parseInt(each, 10) * (each.endsWith('k') ? 1_000 : 1) }))
    .sort((left, right) => left.tokens - right.tokens)
}

function readTierSheets(
  entry: JsonObject,
  tier: SuffixedTier,
  standard: readonly TableSheet[],
): readonly TableSheet[] {
  const suffix = tierSuffixes[tier]
  const base = standard[0]
  const own = readRates(entry, suffix)
  if (base === undefined || (own.input === undefined && own.output === undefined)) return []
  const first = fillFrom(own, base)
  const thresholds = thresholdsOf(entry)
  const longer = standard.slice(1).map((sheet, index): TableSheet => {
    const rates = readRates(entry, `_above_${thresholds[index]?.words ?? ''}_tokens`, suffix)
    const expected = scaleRates(withoutTerms(sheet), ratioOf(first, base))
    return { tier, ...(sheet.above !== undefined && { above: sheet.above }), ...expected, ...rates }
  })
  return [{ tier, ...first }, ...longer]
}

/** Reads the rates of Anthropic's fast mode, which multiplies every price. */
function readFastSheets(entry: JsonObject, standard: readonly TableSheet[]): readonly TableSheet[] {
  const own = entry['provider_specific_entry']
  const times = isJsonObject(own) ? own['fast'] : undefined
  if (typeof times !== 'number') return []
  const ratio = { input: times, output: times }
  return standard.map((sheet) => ({
    tier: 'fast' as const,
    ...(sheet.above !== undefined && { above: sheet.above }),
    ...scaleRates(withoutTerms(sheet), ratio),
  }))
}

function readOffPeakSheets(entry: JsonObject, base: PriceRates): readonly TableSheet[] {
  const offPeak = entry['off_peak_pricing']
  if (!isJsonObject(offPeak) || (offPeak['weekday_timezone'] ?? 'UTC') !== 'UTC') return []
  const hours = [
    ...readHours(offPeak['hours_utc'], [0, 1, 2, 3, 4, 5, 6]),
    ...(isJsonArray(offPeak['windows']) ? offPeak['windows'] : [])
      .filter(isJsonObject)
      .flatMap((window) => readHours(window['hours_utc'], readWeekdays(window['weekdays']))),
  ]
  return hours.length === 0 ? [] : [{ hours, ...withoutTerms(base), ...readRates(offPeak, '') }]
}

/** Reads weekdays. In the file Monday is 1 and Sunday is 7. Here Sunday is 0. */
function readWeekdays(value: JsonValue | undefined): readonly number[] {
  if (!isJsonArray(value)) return [0, 1, 2, 3, 4, 5, 6]
  return value.filter((day) => typeof day === 'number').map((day) => day % 7)
}

function readHours(value: JsonValue | undefined, weekdays: readonly number[]): readonly PriceHours[] {
  const spans = typeof value === 'string' ? [value] : isJsonArray(value) ? value : []
  return spans.flatMap((span) => {
    const found = typeof span === 'string' ? /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(span) : null
    if (found === null) return []
    const [fromHour = 0, from = 0, untilHour = 0, until = 0] = found.slice(1).map(Number)
    return spanHours(weekdays, fromHour * 60 + from, untilHour * 60 + until)
  })
}

/** Reads the rates whose keys have this ending. The file states dollars for one token. */
function readRates(entry: JsonObject, above: string, tier = ''): Rates {
  return Object.fromEntries(
    rateClasses.flatMap((rateClass) => {
      const values = keysOf[rateClass].map((key) => entry[`${key}${above}${tier}`])
      const value = values.find((each) => typeof each === 'number')
      return typeof value === 'number' && value >= 0 ? [[rateClass, nanoDollarsForAMillion(value)]] : []
    }),
  )
}

/** Converts dollars for one token. A double is exact enough to find the written decimal. A fraction is rounded up. */
export function nanoDollarsForAMillion(dollarsForOne: number): NanoDollars {
  return brand<NanoDollars>(Math.ceil(Number((dollarsForOne * 1e15).toPrecision(12))))
}

/** Fills missing rates from the base sheet, in the ratio of the plain rates. */
function fillFrom(rates: Rates, base: PriceRates): PriceRates {
  const named = { ...rates, input: rates.input ?? base.input, output: rates.output ?? base.output }
  const scaled = scaleRates(withoutTerms(base), ratioOf(named, base))
  const isCheaper = named.input < base.input
  return {
    ...scaled,
    // Discounts often leave out cached input. It then costs the same as before, or as much as input.
    ...(isCheaper && base.cacheRead !== undefined && { cacheRead: lower(base.cacheRead, named.input) }),
    ...named,
  }
}

function lower(left: NanoDollars, right: NanoDollars): NanoDollars {
  return left < right ? left : right
}

interface Ratio {
  readonly input: number
  readonly output: number
}

function ratioOf(rates: PriceRates, base: PriceRates): Ratio {
  return {
    input: base.input === 0 ? 1 : rates.input / base.input,
    output: base.output === 0 ? 1 : rates.output / base.output,
  }
}

function scaleRates(rates: PriceRates, ratio: Ratio): PriceRates {
  const scaled = rateClasses.flatMap((rateClass) => {
    const rate = rates[rateClass]
    const times = isOutput(rateClass) ? ratio.output : ratio.input
    return rate === undefined ? [] : [[rateClass, roundUp(rate * times)] as const]
  })
  return { input: rates.input, output: rates.output, ...Object.fromEntries(scaled) }
}

function isOutput(rateClass: RateClass): boolean {
  return outputClasses.some((each) => each === rateClass)
}

function roundUp(rate: number): NanoDollars {
  return brand<NanoDollars>(Math.ceil(Number(rate.toPrecision(12))))
}

function withoutTerms({ tier: _tier, above: _above, hours: _hours, ...rates }: TableSheet): PriceRates {
  return rates
}
