import { usdOf } from '../../access/limits/usd-schema.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { Target } from '../../catalog/catalog.ts'
import {
  inputClasses,
  outputClasses,
  type PriceSheet,
  type PriceVersion,
  type RateClass,
} from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { isSameJson } from '../../config/layers/describe-changes.ts'
import {
  type ComparedState,
  type Comparison,
  type FoundEffect,
  groupByText,
  listNames,
} from './comparison.ts'
import type { RateChange } from './effect-contract.ts'

/** Changed prices of targets that are served before and after, and of what keys are charged. */
export function comparePrices({ before, after, nowMs }: Comparison): readonly FoundEffect[] {
  const [old, next] = [readPrices(before, nowMs), readPrices(after, nowMs)]
  const common = [...old].flatMap(([id, { label, price }]) => {
    const other = next.get(id)
    return other === undefined ? [] : [{ label, before: price, after: other.price }]
  })
  return [
    ...describeRates(common),
    ...describeKnown(common),
    ...describeRefused(before, after, next),
    ...describeMultipliers(before, after),
  ]
}

interface PricedTarget {
  readonly publicName: string
  /** The public name, with the channel where several serve it. */
  readonly label: string
  readonly price: PriceVersion | undefined
}

interface ComparedPrice {
  readonly label: string
  readonly before: PriceVersion | undefined
  readonly after: PriceVersion | undefined
}

function readPrices({ catalog }: ComparedState, nowMs: number): ReadonlyMap<string, PricedTarget> {
  return new Map(
    catalog.models.flatMap(({ name }) => {
      const targets = catalog.findRoute(name)?.targets ?? []
      return targets.map((target) => {
        const label = targets.length === 1 ? name : `${name} (${target.channel.name})`
        const price = target.prices && priceAt(target.prices, nowMs)
        return [idOf(name, target), { publicName: name, label, price }] as const
      })
    }),
  )
}

function idOf(name: string, { channel, upstreamModel }: Target): string {
  return JSON.stringify([name, channel.name, upstreamModel])
}

function describeRates(common: readonly ComparedPrice[]): FoundEffect[] {
  const changed = common
    .map(({ label, before, after }) => ({ label, rates: compareVersions(before, after) }))
    .filter(({ rates }) => rates.length > 0)
  return [...groupByText(changed, ({ rates }) => JSON.stringify(rates)).values()].map(
    (group): FoundEffect => ({
      type: 'prices',
      severity: 'changes',
      models: listNames(group.map(({ label }) => label)),
      rates: [...group[0].rates],
    }),
  )
}

function compareVersions(
  before: PriceVersion | undefined,
  after: PriceVersion | undefined,
): readonly RateChange[] {
  if (before === undefined || after === undefined || before.sheets === after.sheets) return []
  if (isSameSheets(before.sheets, after.sheets)) return []
  return after.sheets.flatMap((sheet) => {
    const { tier, aboveInputTokens, hours } = sheet
    const old = before.sheets.find(
      (each) =>
        each.tier === tier && each.aboveInputTokens === aboveInputTokens && isSameHours(each.hours, hours),
    )
    // If there was no sheet before, the standard rates applied.
    return compareSheets(old ?? standardOf(before) ?? sheet, sheet)
  })
}

function isSameSheets(before: readonly PriceSheet[], after: readonly PriceSheet[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}

function isSameHours(before: PriceSheet['hours'], after: PriceSheet['hours']): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}

function standardOf({ sheets }: PriceVersion): PriceSheet | undefined {
  return sheets.find(
    ({ tier, aboveInputTokens, hours }) =>
      tier === 'standard' && aboveInputTokens === 0 && hours === undefined,
  )
}

function compareSheets(before: PriceSheet, after: PriceSheet): readonly RateChange[] {
  return [...inputClasses, ...outputClasses].flatMap((rateClass) => {
    if (before.rates[rateClass] === undefined && after.rates[rateClass] === undefined) return []
    const [old, next] = [rateOf(before, rateClass), rateOf(after, rateClass)]
    if (old === next) return []
    return [
      {
        class: rateClass,
        tier: after.tier,
        above_input_tokens: after.aboveInputTokens,
        before_usd: usdOf(old),
        after_usd: usdOf(next),
        percent: old === 0 ? null : Math.round(((next - old) / old) * 1_000) / 10,
      },
    ]
  })
}

/** The class that another one falls back to. */
const belowClass: Readonly<Partial<Record<RateClass, RateClass>>> = {
  cacheReadAudio: 'cacheRead',
  cacheWriteLong: 'cacheWrite',
}
const outputs: ReadonlySet<RateClass> = new Set(outputClasses)

function rateOf({ rates }: PriceSheet, rateClass: RateClass): NanoDollars {
  const below = belowClass[rateClass]
  const own = rates[rateClass] ?? (below && rates[below])
  return own ?? (outputs.has(rateClass) ? rates.output : rates.input)
}

function describeKnown(common: readonly ComparedPrice[]): FoundEffect[] {
  const lost = common.filter(({ before, after }) => before !== undefined && after === undefined)
  const gained = common.filter(({ before, after }) => before === undefined && after !== undefined)
  const labels = (all: readonly ComparedPrice[]) => listNames(all.map(({ label }) => label))
  return [
    ...(lost.length === 0
      ? []
      : [{ type: 'prices_lost', severity: 'changes', models: labels(lost) } as const]),
    ...(gained.length === 0
      ? []
      : [{ type: 'prices_gained', severity: 'adds', models: labels(gained) } as const]),
  ]
}

/** Models without a price, once such requests are refused. */
function describeRefused(
  before: ComparedState,
  after: ComparedState,
  next: ReadonlyMap<string, PricedTarget>,
): FoundEffect[] {
  if (before.config.unpriced === 'refuse' || after.config.unpriced !== 'refuse') return []
  const unpriced = [...next.values()].filter(({ price }) => price === undefined).map(({ label }) => label)
  if (unpriced.length === 0) return []
  return [{ type: 'models_refused', severity: 'breaks', models: listNames(unpriced) }]
}

const PPM = 1_000_000

function describeMultipliers(before: ComparedState, after: ComparedState): FoundEffect[] {
  const next = new Map(after.config.groups.map((group) => [group.name, group.multiplierPpm]))
  return before.config.groups.flatMap(({ name, multiplierPpm }): FoundEffect[] => {
    const other = next.get(name)
    if (other === undefined || isSameJson(multiplierPpm, other)) return []
    const [from, to] = [multiplierPpm / PPM, other / PPM]
    return [{ type: 'multiplier', severity: 'changes', group: name, before: from, after: to }]
  })
}
