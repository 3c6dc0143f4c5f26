import { createHash } from 'node:crypto'
import { brand } from '../../kit/brand.ts'
import {
  type PriceHistory,
  type PriceRates,
  type PriceSheet,
  type PriceVersion,
  type PriceVersionId,
  priceTiers,
} from './price.ts'
import { type HoursInput, type PriceInput, type RatesInput, weekdays } from './price-schema.ts'
import { spanHours } from './span-hours.ts'

/**
 * Reads the operator's prices of one model. `name` is the place where they are written, such as
 * `channels/primary/gpt-4o`.
 */
export function readPriceHistory(
  name: `models/${string}` | `channels/${string}`,
  inputs: readonly PriceInput[],
): PriceHistory | undefined {
  const versions = inputs
    .map((input) => readVersion(name, input))
    .sort((left, right) => left.effectiveFromMs - right.effectiveFromMs)
  const [first, ...others] = versions
  return first === undefined ? undefined : [first, ...others]
}

function readVersion(name: string, input: PriceInput): PriceVersion {
  const { effective_from, tool_calls = {} } = input
  const sheets = readSheets(input)
  return {
    id: nameVersion(name, effective_from, { sheets, tool_calls }),
    effectiveFromMs: effective_from === undefined ? 0 : Date.parse(effective_from),
    source: 'override',
    sheets,
    toolCalls: tool_calls,
  }
}

/** Makes the ID of a version from a digest of the price, so that an edited price becomes another version. */
function nameVersion(name: string, effectiveFrom: string | undefined, price: object): PriceVersionId {
  const digest = createHash('sha256').update(JSON.stringify(price)).digest('hex').slice(0, 8)
  return brand<PriceVersionId>(`${name}@${effectiveFrom ?? 'configuration'}#${digest}`)
}

function readSheets(input: PriceInput): readonly PriceSheet[] {
  return [
    ...readTiers(input, 0),
    ...(input.above ?? []).flatMap((longer) => readTiers(longer, longer.tokens)),
    ...(input.hours ?? []).map(readHours),
  ]
}

type TieredInput = RatesInput & Pick<PriceInput, 'batch' | 'flex' | 'priority' | 'fast' | 'ultrafast'>

function readTiers(input: TieredInput, aboveInputTokens: number): readonly PriceSheet[] {
  return priceTiers.flatMap((tier) => {
    const rates = tier === 'standard' ? input : input[tier]
    return rates === undefined ? [] : [{ tier, aboveInputTokens, rates: readRates(rates) }]
  })
}

function readHours({ days, from, until, ...rates }: HoursInput): PriceSheet {
  const hours = spanHours(
    (days ?? weekdays).map((day) => weekdays.indexOf(day)),
    from,
    until,
  )
  return { tier: 'standard', aboveInputTokens: 0, hours, rates: readRates(rates) }
}

function readRates(input: RatesInput): PriceRates {
  return {
    input: input.input,
    ...(input.cached_input !== undefined && { cacheRead: input.cached_input }),
    ...(input.cached_audio !== undefined && { cacheReadAudio: input.cached_audio }),
    ...(input.cache_write !== undefined && { cacheWrite: input.cache_write }),
    ...(input.cache_write_1h !== undefined && { cacheWriteLong: input.cache_write_1h }),
    ...(input.input_audio !== undefined && { inputAudio: input.input_audio }),
    ...(input.input_image !== undefined && { inputImage: input.input_image }),
    output: input.output,
    ...(input.reasoning !== undefined && { reasoning: input.reasoning }),
    ...(input.output_audio !== undefined && { outputAudio: input.output_audio }),
    ...(input.output_image !== undefined && { outputImage: input.output_image }),
  }
}
