import { priceBill } from '../../long/price-truth/price-bill.ts'
import type { OperationBill } from './read-operation-bill.ts'

/** US dollars for a million tokens, such that hardly any sum is whole in nano-dollars. */
const dollars = {
  input: '1.234567',
  cached_input: '0.100303',
  cached_audio: '0.300707',
  cache_write: '1.543211',
  input_audio: '3.141593',
  input_image: '2.050101',
  output: '4.660111',
  reasoning: '5.550119',
  output_audio: '6.020309',
  output_image: '7.990713',
}
/** Those of batches, which have other classes. */
const ofBatches = { input: '0.617281', cached_input: '0.050153', cache_write: '0.771607', output: '2.330057' }
/** US dollars for a thousand. */
const units = { image: '39.371', audio_second: '0.100037', character: '0.015013', search_unit: '2.000311' }

/** The price as a configuration has it. */
export const awkwardPrice = `{ ${list(dollars)}, batch: { ${list(ofBatches)} }, tool_calls: { ${list(units)} } }`

function list(rates: Readonly<Record<string, string>>): string {
  return Object.entries(rates)
    .map(([name, rate]) => `${name}: ${rate}`)
    .join(', ')
}

const classes: Readonly<Record<string, string>> = {
  cached_input: 'cacheRead',
  cached_audio: 'cacheReadAudio',
  cache_write: 'cacheWrite',
  input_audio: 'inputAudio',
  input_image: 'inputImage',
  output_audio: 'outputAudio',
  output_image: 'outputImage',
}

/** Nano-dollars for a million, of a decimal in text. */
function nanosOf(decimal: string, times: number): number {
  const [before = '', after = ''] = decimal.split('.')
  return Number(BigInt(before + after.padEnd(9, '0')) * BigInt(times))
}

function sheetOf(tier: string, rates: Readonly<Record<string, string>>) {
  const named = Object.entries(rates).map(([name, rate]) => [classes[name] ?? name, nanosOf(rate, 1)])
  return { tier, ...Object.fromEntries(named) }
}

const version = {
  sheets: [sheetOf('standard', dollars), sheetOf('batch', ofBatches)],
  toolCalls: Object.fromEntries(Object.entries(units).map(([name, rate]) => [name, nanosOf(rate, 1_000)])),
}

/** Prices a bill, in nano-dollars. */
export function priceAwkwardly({ tokens, calls }: OperationBill, tier = 'standard'): bigint {
  const model = { name: 'm', version }
  return priceBill({ tokens, calls, tier }, model, { at: new Date(0), region: undefined })
}

/** Dollars of a ledger row as nano-dollars. */
export function rowNanos(amount: unknown): bigint {
  const [before = '', after = ''] = Number(amount).toFixed(9).split('.')
  return BigInt(before + after)
}
