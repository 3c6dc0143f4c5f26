import { multiplyPpm, type NanoDollars } from '../../canonical/money.ts'
import { SEARCH_UNIT } from '../../canonical/operations/rerank.ts'
import { CHARACTER_UNIT, IMAGE_UNIT, SECOND_UNIT } from '../../canonical/operations/units.ts'
import { brand } from '../../kit/brand.ts'
import type { PriceHistory, PriceRates, PriceSheet, PriceVersion, PriceVersionId } from './price.ts'
import type { TableModel, TableSheet, TableVersion } from './price-table.ts'

interface Computed {
  /** The region that computes every answer of the channel, where that region has a surcharge. */
  readonly region: string | undefined
  /** Whether each answer names the region that computed it. */
  readonly isNamed: boolean
  /** Whether input is written to a cache only where the request marks it. */
  readonly cachesMarkedOnly?: boolean
  /** The minimum number of seconds for which a recording is billed. */
  readonly minSeconds?: number | undefined
}

/** Reads a table's prices of a model. Undefined where nothing is billed by tokens or by units that are counted here. */
export function readTablePrices(model: TableModel, computed: Computed): PriceHistory | undefined {
  const [first, ...others] = model.versions
    .filter((version) => version.sheets.length > 0 || Object.keys(unitsOf(version)).length > 0)
    .map((version, index) => readVersion(model, version, { ...computed, isFirst: index === 0 }))
  return first === undefined ? undefined : [first, ...others]
}

function readVersion(
  { provider, name }: TableModel,
  version: TableVersion,
  { region, isNamed, cachesMarkedOnly, minSeconds, isFirst }: Computed & { readonly isFirst: boolean },
): PriceVersion {
  const ppm = region === undefined ? undefined : version.regionPpm?.[region]
  const ending = ppm === undefined ? '' : `+${region}`
  return {
    id: brand<PriceVersionId>(`${provider}/${name}@${version.from}${ending}`),
    // The first version in a table applies to the whole past, since its true start is unknown.
    effectiveFromMs: isFirst ? 0 : Date.parse(version.from),
    source: 'table',
    sheets: version.sheets.length === 0 ? [freeTokens] : version.sheets.map((sheet) => readSheet(sheet, ppm)),
    toolCalls: { ...version.toolCalls, ...unitsOf(version) },
    ...(version.toolsByAnswer !== undefined && { toolsByAnswer: version.toolsByAnswer }),
    ...(minSeconds !== undefined && { minCalls: { [SECOND_UNIT]: minSeconds } }),
    ...(cachesMarkedOnly === true && { cachesMarkedOnly }),
    ...(isNamed && version.regionPpm !== undefined && { regionPpm: version.regionPpm }),
  }
}

const nothing = brand<NanoDollars>(0)

/** The sheet of a model that is billed only by units. */
const freeTokens: PriceSheet = {
  tier: 'standard',
  aboveInputTokens: 0,
  rates: { input: nothing, output: nothing },
}

/** LiteLLM's names of the units that are billed in addition to tokens. */
const besideTokens: Readonly<Record<string, string>> = { query: SEARCH_UNIT }

/** LiteLLM's names of the units that are billed where no tokens are billed. A model with both has token prices. */
const insteadOfTokens: Readonly<Record<string, string>> = {
  inputSecond: SECOND_UNIT,
  inputCharacter: CHARACTER_UNIT,
  outputImage: IMAGE_UNIT,
}

/** The prices of the billed units. Empty where no unit is billed. */
function unitsOf({ units = {}, sheets }: TableVersion): PriceVersion['toolCalls'] {
  const names = sheets.length === 0 ? { ...besideTokens, ...insteadOfTokens } : besideTokens
  const priced = Object.entries(names).flatMap(([name, unit]) => {
    const price = units[name]
    return price === undefined ? [] : [[unit, price] as const]
  })
  return Object.fromEntries(priced)
}

function readSheet({ tier, above = 0, hours, ...rates }: TableSheet, ppm: number | undefined): PriceSheet {
  return {
    tier: tier ?? 'standard',
    aboveInputTokens: above,
    ...(hours !== undefined && { hours }),
    rates: ppm === undefined ? rates : raise(rates, ppm),
  }
}

function raise(rates: PriceRates, ppm: number): PriceRates {
  const raised = Object.entries(rates).map(([name, rate]) => [name, multiplyPpm(rate, ppm)])
  return { ...rates, ...Object.fromEntries(raised) }
}
