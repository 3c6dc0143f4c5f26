import { type NanoDollars, PPM, writeDollars } from '../../canonical/money.ts'
import type { PriceHours, PriceRates, PriceSheet, PriceVersion } from '../../catalog/prices/price.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import type { PriceView } from './price-contract.ts'

export function viewPrice(version: PriceVersion): PriceView {
  return {
    version: version.id,
    source: sourceOf(version),
    effective_from: version.effectiveFromMs === 0 ? null : writeTime(version.effectiveFromMs),
    price: writePrice(version),
    regions: Object.fromEntries(
      Object.entries(version.regionPpm ?? {}).map(([region, ppm]) => [region, ppm / PPM]),
    ),
  }
}

/** The source of a price. The price's ID starts with it. */
function sourceOf({ id, source }: PriceVersion): PriceView['source'] {
  if (source === 'table') return id === 'free' ? 'free' : 'table'
  return id.startsWith('channels/') ? 'channel' : 'model'
}

/** The price in the syntax of the configuration, so that it can be copied there. */
function writePrice({ sheets, toolCalls }: PriceVersion): PriceView['price'] {
  const anyHour = sheets.filter(({ hours }) => hours === undefined)
  const lengths = [...new Set(anyHour.map(({ aboveInputTokens }) => aboveInputTokens))].sort(
    (left, right) => left - right,
  )
  const above = lengths.filter((tokens) => tokens > 0)
  const hours = sheets.filter((sheet) => sheet.hours !== undefined).flatMap(writeHours)
  return {
    ...writeTiers(anyHour, 0),
    ...(above.length > 0 && { above: above.map((tokens) => ({ tokens, ...writeTiers(anyHour, tokens) })) }),
    ...(hours.length > 0 && { hours }),
    ...(Object.keys(toolCalls).length > 0 && {
      tool_calls: Object.fromEntries(
        Object.entries(toolCalls).map(([name, price]) => [name, dollarsOf(price) / CALLS_IN_A_MILLION]),
      ),
    }),
  }
}

/** Tools are priced per thousand calls. */
const CALLS_IN_A_MILLION = 1_000

function writeTiers(sheets: readonly PriceSheet[], tokens: number): Record<string, number | Dollars> {
  const ofLength = sheets.filter(({ aboveInputTokens }) => aboveInputTokens === tokens)
  const standard = ofLength.find(({ tier }) => tier === 'standard')
  const tiers = ofLength.filter(({ tier }) => tier !== 'standard')
  return {
    ...(standard && writeRates(standard.rates)),
    ...Object.fromEntries(tiers.map(({ tier, rates }) => [tier, writeRates(rates)])),
  }
}

const words: readonly (readonly [keyof PriceRates, string])[] = [
  ['input', 'input'],
  ['cacheRead', 'cached_input'],
  ['cacheReadAudio', 'cached_audio'],
  ['cacheWrite', 'cache_write'],
  ['cacheWriteLong', 'cache_write_1h'],
  ['inputAudio', 'input_audio'],
  ['inputImage', 'input_image'],
  ['output', 'output'],
  ['reasoning', 'reasoning'],
  ['outputAudio', 'output_audio'],
  ['outputImage', 'output_image'],
]

type Dollars = Record<string, number>

function writeRates(rates: PriceRates): Dollars {
  return Object.fromEntries(
    words.flatMap(([rateClass, word]) => {
      const rate = rates[rateClass]
      return rate === undefined ? [] : [[word, dollarsOf(rate)]]
    }),
  )
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

function writeHours({ hours = [], rates }: PriceSheet) {
  return hours.map((span) => ({ ...writeSpan(span), ...writeRates(rates) }))
}

function writeSpan({ weekdays: days, fromMinute, untilMinute }: PriceHours) {
  return {
    ...(days.length < 7 && { days: days.map((day) => weekdays[day] ?? '') }),
    from: writeClock(fromMinute),
    until: writeClock(untilMinute % 1_440),
  }
}

function writeClock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

/** The shortest decimal number that parses to the same amount. */
function dollarsOf(amount: NanoDollars): number {
  return Number(writeDollars(amount))
}
