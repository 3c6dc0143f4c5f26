import type { NanoDollars } from '../../canonical/money.ts'
import { compareModels } from '../../catalog/prices/price-changes.ts'
import type { PriceTable, TableModel, TableVersion } from '../../catalog/prices/price-table.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { ProviderRegistry } from '../provider.ts'
import type { PriceDeclaration } from './price-declaration.ts'
import { isKnownTokenRate, nanoDollarsForAMillion, readLitellmSheets } from './read-litellm-sheets.ts'

/** LiteLLM's `model_prices_and_context_window.json`: an object from model names to the facts about each model. */
export interface LitellmSource {
  readonly file: JsonObject
  /** The source, such as `litellm 1.109.1`. */
  readonly source: string
  /** The date, such as `2026-11-23`. */
  readonly date: string
}

export interface LitellmTable {
  readonly table: PriceTable
  /** Models with a price of 0 in the file, which may mean free or unknown. They have no price here. */
  readonly unpriced: readonly string[]
  /** Token prices that the reader does not know, such as those of a new tier, each with one model that has it. */
  readonly unknownRates: Readonly<Record<string, string>>
}

const licence = 'MIT License, Copyright (c) 2023 Berri AI; its text is in the NOTICE of Headgate'

/** Reads the prices and limits of every model of our providers. */
export function readLitellmFile(from: LitellmSource, registry: ProviderRegistry): LitellmTable {
  const entries = groupEntries(from.file)
  const models = new Map<string, TableModel>()
  const unpriced: string[] = []
  const unknownRates: Record<string, string> = {}
  for (const id of registry.ids) {
    const prices = registry.find(id)?.prices
    for (const { name, entry } of entriesOf(prices, entries)) {
      const key = JSON.stringify([id, name])
      const model = models.has(key)
        ? undefined
        : readModel({ provider: id, name, entry, prices, date: from.date })
      if (model === undefined) continue
      models.set(key, model)
      if (isUnpriced(entry, model)) unpriced.push(`${id}/${name}`)
      for (const rate of unknownRatesOf(entry)) unknownRates[rate] ??= `${id}/${name}`
    }
  }
  const table = {
    source: from.source,
    date: from.date,
    licence,
    models: [...models.values()].sort(compareModels),
  }
  return { table, unpriced, unknownRates }
}

interface KeyedEntry {
  readonly key: string
  readonly entry: JsonObject
}

function groupEntries(file: JsonObject): ReadonlyMap<string, readonly KeyedEntry[]> {
  const entries = Object.entries(file).flatMap(([key, entry]) =>
    isJsonObject(entry) ? [{ key, entry }] : [],
  )
  return Map.groupBy(entries, ({ entry }) => String(entry['litellm_provider']))
}

/** Keys that are not models: prices of images by size, and of capacity that is rented by the month. */
const noModel = /(?:^|\/)(?:\d+-x-\d+|max-x-max|\d+-month-commitment|\d+-steps|max-steps)(?:\/|$)/

function* entriesOf(
  prices: PriceDeclaration | undefined,
  entries: ReadonlyMap<string, readonly KeyedEntry[]>,
): Generator<{ readonly name: string; readonly entry: JsonObject }> {
  const prefix = `${prices?.litellmPrefix ?? prices?.litellm?.[0]}/`
  for (const litellm of prices?.litellm ?? []) {
    const own = (entries.get(litellm) ?? []).filter(({ key }) => !noModel.test(key))
    const isPrefixed = ({ key }: KeyedEntry) => key.startsWith(prefix)
    for (const { key, entry } of [...own.filter(isPrefixed), ...own.filter((each) => !isPrefixed(each))]) {
      const bare = key.startsWith(prefix) ? key.slice(prefix.length) : key
      const name = prices?.readLitellmName === undefined ? bare : prices.readLitellmName(bare)
      if (name !== undefined) yield { name, entry }
    }
  }
}

interface Row {
  readonly provider: string
  readonly name: string
  readonly entry: JsonObject
  readonly prices: PriceDeclaration | undefined
  readonly date: string
}

function readModel({ provider, name, entry, prices, date }: Row): TableModel | undefined {
  const version = readVersion({ name, entry, prices, date })
  const limits = {
    ...limitOf('maxInputTokens', entry['max_input_tokens']),
    ...limitOf('maxOutputTokens', entry['max_output_tokens']),
  }
  if (version === undefined && Object.keys(limits).length === 0) return undefined
  const mode = typeof entry['mode'] === 'string' ? entry['mode'] : 'chat'
  return { provider, name, mode, ...limits, versions: version === undefined ? [] : [version] }
}

function limitOf<const Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: number } {
  const limit: { [Key in Name]?: number } = {}
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) limit[name] = value
  return limit
}

/** The modes with billed output. */
const textModes: ReadonlySet<string> = new Set(['chat', 'completion', 'responses'])

function readVersion({ name, entry, prices, date }: Omit<Row, 'provider'>): TableVersion | undefined {
  const writesText = textModes.has(String(entry['mode'] ?? 'chat'))
  const sheets = readLitellmSheets(entry, {
    hasInclusiveThresholds: prices?.hasInclusiveThresholds ?? false,
    writesText,
  })
  const units = readUnits(entry)
  if (sheets.length === 0 && Object.keys(units).length === 0) return undefined
  const declared = writesText ? prices?.toolDollars : undefined
  const toolCalls = sheets.length === 0 ? {} : readToolCalls(entry, declared)
  const isByAnswer = prices?.searchesByAnswer?.(name) === true && !isBilledByQuery(entry)
  const toolsByAnswer = isByAnswer ? Object.keys(toolCalls) : []
  const regionPpm = readRegions(entry)
  return {
    from: date,
    sheets,
    ...(Object.keys(toolCalls).length > 0 && { toolCalls }),
    ...(toolsByAnswer.length > 0 && { toolsByAnswer }),
    ...(Object.keys(regionPpm).length > 0 && { regionPpm }),
    ...(Object.keys(units).length > 0 && { units }),
  }
}

function isBilledByQuery(entry: JsonObject): boolean {
  return entry['web_search_billing_unit'] === 'per_query'
}

const unitKeys: Readonly<Record<string, string>> = {
  input_cost_per_second: 'inputSecond',
  output_cost_per_second: 'outputSecond',
  input_cost_per_character: 'inputCharacter',
  output_cost_per_character: 'outputCharacter',
  input_cost_per_image: 'inputImage',
  output_cost_per_image: 'outputImage',
  input_cost_per_query: 'query',
  input_cost_per_request: 'request',
  ocr_cost_per_page: 'page',
  citation_cost_per_token: 'citationToken',
}

function readUnits(entry: JsonObject): Readonly<Record<string, NanoDollars>> {
  return Object.fromEntries(
    Object.entries(unitKeys).flatMap(([key, unit]) => {
      const dollars = entry[key]
      return typeof dollars === 'number' && dollars > 0 ? [[unit, nanoDollarsForAMillion(dollars)]] : []
    }),
  )
}

type ToolCalls = Readonly<Record<string, NanoDollars>>

/** Reads the prices of tool calls. Where the file has no price for a tool, the provider's declaration applies. */
function readToolCalls(
  entry: JsonObject,
  declared: Readonly<Record<string, number>> | undefined = {},
): ToolCalls {
  const others = Object.entries(declared).map(([name, dollars]) => [name, nanoDollarsForAMillion(dollars)])
  const maps = entry['google_maps_grounding_cost_per_query']
  return {
    ...Object.fromEntries(others),
    ...readSearches(entry),
    ...(typeof maps === 'number' && maps > 0 && { google_maps: nanoDollarsForAMillion(maps) }),
  }
}

/** Reads the prices of searches, by the size of their context where a provider distinguishes it. */
function readSearches(entry: JsonObject): ToolCalls {
  const search = entry['search_context_cost_per_query']
  const sizes = ['medium', 'low', 'high'] as const
  const costs = sizes.flatMap((size) => {
    const dollars = isJsonObject(search) ? search[`search_context_size_${size}`] : undefined
    return typeof dollars === 'number' && dollars > 0
      ? [[size, nanoDollarsForAMillion(dollars)] as const]
      : []
  })
  const [first] = costs
  if (first === undefined) return {}
  if (costs.every(([, cost]) => cost === first[1])) return { web_search: first[1] }
  return Object.fromEntries(costs.map(([size, cost]) => [`web_search_${size}`, cost]))
}

function readRegions(entry: JsonObject): Readonly<Record<string, number>> {
  const own = entry['provider_specific_entry']
  const regions = {
    us: (isJsonObject(own) ? own['us'] : undefined) ?? entry['regional_processing_uplift_multiplier_us'],
    eu: entry['regional_processing_uplift_multiplier_eu'],
    regional: entry['regional_endpoint_uplift_multiplier'],
  }
  return Object.fromEntries(
    Object.entries(regions).flatMap(([region, times]) =>
      typeof times === 'number' && times > 1
        ? [[region, Math.ceil(Number((times * 1e6).toPrecision(12)))]]
        : [],
    ),
  )
}

function isUnpriced(entry: JsonObject, { versions }: TableModel): boolean {
  return typeof entry['input_cost_per_token'] === 'number' && (versions[0]?.sheets.length ?? 0) === 0
}

/** Lists unknown rates. Video has tokens of its own, which answers do not count separately. */
function unknownRatesOf(entry: JsonObject): readonly string[] {
  return Object.keys(entry).filter(
    (key) => /_token(?:_|s?$)/.test(key) && key.includes('cost') && !isKnownTokenRate(key),
  )
}
