import { multiplyPpm, type NanoDollars } from '../../canonical/money.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { PriceSheet, PriceVersion } from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { viewPrice } from '../prices/view-price.ts'
import type { ServedModelView } from './catalog-contract.ts'

type ChargedPrice = ServedModelView['charged'][number]

/**
 * The prices charged to callers with these multipliers at one time, the cheapest input first. Equal prices are listed
 * once, so that the response reveals neither targets nor groups.
 */
export function listChargedPrices(
  targets: readonly Target[],
  multipliersPpm: readonly number[],
  atMs: number,
): readonly ChargedPrice[] {
  const inForce = targets.flatMap(({ prices }) => (prices === undefined ? [] : (priceAt(prices, atMs) ?? [])))
  const charged = inForce.flatMap((version) =>
    multipliersPpm.map((ppm) => viewPrice(multiplyVersion(version, ppm)).price),
  )
  const distinct = new Map(charged.map((price) => [JSON.stringify(price), price]))
  return [...distinct.values()].sort((left, right) => inputOf(left) - inputOf(right))
}

function inputOf({ input }: ChargedPrice): number {
  return typeof input === 'number' ? input : Number.POSITIVE_INFINITY
}

function multiplyVersion(version: PriceVersion, ppm: number): PriceVersion {
  return {
    ...version,
    sheets: version.sheets.map((sheet) => multiplySheet(sheet, ppm)),
    toolCalls: multiplyEach(version.toolCalls, ppm),
  }
}

function multiplySheet(sheet: PriceSheet, ppm: number): PriceSheet {
  const { input, output } = sheet.rates
  const plain = { input: multiplyPpm(input, ppm), output: multiplyPpm(output, ppm) }
  return { ...sheet, rates: { ...multiplyEach({ ...sheet.rates }, ppm), ...plain } }
}

function multiplyEach(
  rates: Readonly<Record<string, NanoDollars>>,
  ppm: number,
): Record<string, NanoDollars> {
  return Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, multiplyPpm(rate, ppm)]))
}
