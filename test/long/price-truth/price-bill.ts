// The cost of a bill by the price table's own file, in whole numbers of any size. Shares no code with src/.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bill, fieldsOf, listOf } from './read-bill.ts'

const file: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../src/catalog/prices/price-table.json'), 'utf8'),
)
const models = listOf(fieldsOf(file)['models']).map(fieldsOf)

type Fields = Readonly<Record<string, unknown>>

export interface PricedModel {
  readonly name: string
  readonly version: Fields
}

/** The last version of a model's price: by its name, else by that of the same model with another date. */
export function findModel(provider: string, names: readonly string[]): PricedModel | undefined {
  for (const name of names) {
    const own = models.filter((model) => model['provider'] === provider)
    const found = own.find((model) => lower(model) === name.toLowerCase()) ?? sibling(own, name.toLowerCase())
    const version = found === undefined ? undefined : pricedVersion(found)
    if (found !== undefined && version !== undefined) return { name: String(found['name']), version }
  }
  return undefined
}

function lower(model: Fields): string {
  return String(model['name']).toLowerCase()
}

function sibling(own: readonly Fields[], name: string): Fields | undefined {
  const family = own.filter((model) => undated(lower(model)) === undated(name))
  const byName = family.toSorted((left, right) => (lower(left) < lower(right) ? 1 : -1))
  return (
    family.find((model) => undated(lower(model)) === lower(model)) ??
    family.find((model) => lower(model).endsWith('-latest')) ??
    byName[0]
  )
}

function undated(name: string): string {
  return name.replace(/(-\d{4}-\d\d-\d\d|-\d{8}|-latest|@[a-z0-9_-]+)$/, '')
}

function pricedVersion(model: Fields): Fields | undefined {
  return listOf(model['versions'])
    .map(fieldsOf)
    .findLast((version) => listOf(version['sheets']).length > 0)
}

export interface Moment {
  readonly at: Date
  /** The region with a surcharge; undefined where there is none. */
  readonly region: string | undefined
}

/** In nano-dollars, rounded up once. */
export function priceBill(
  bill: Pick<Bill, 'tokens' | 'calls' | 'tier'>,
  { version }: PricedModel,
  moment: Moment,
): bigint {
  return ceil(exactPrice(bill, version, moment), 10n ** 12n)
}

/** In millionths of a millionth of a nano-dollar. */
function exactPrice(
  { tokens, calls, tier }: Pick<Bill, 'tokens' | 'calls' | 'tier'>,
  version: Fields,
  moment: Moment,
): bigint {
  const inputs = [
    'input',
    'inputAudio',
    'inputImage',
    'cacheRead',
    'cacheReadAudio',
    'cacheWrite',
    'cacheWriteLong',
  ]
  const length = inputs.reduce((sum, name) => sum + (tokens[name] ?? 0n), 0n)
  const sheet = chooseSheet(version, { tier, length, at: moment.at })
  const ofTokens = Object.entries(tokens).reduce(
    (sum, [name, number]) => sum + number * rateOf(sheet, name),
    0n,
  )
  const ppm = moment.region === undefined ? undefined : fieldsOf(version['regionPpm'])[moment.region]
  const rates = fieldsOf(version['toolCalls'])
  const onceAnswer = listOf(version['toolsByAnswer'])
  const ofCalls = Object.entries(calls).reduce((sum, [name, number]) => {
    const billed = onceAnswer.includes(name) && number > 1n ? 1n : number
    return sum + billed * whole(rates[name])
  }, 0n)
  return ofTokens * (ppm === undefined ? 1_000_000n : whole(ppm)) + ofCalls * 1_000_000n
}

function ceil(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

function whole(value: unknown): bigint {
  return typeof value === 'number' ? BigInt(value) : 0n
}

/** A class without a rate costs what the wider one costs. */
const widerClass: Readonly<Record<string, readonly string[]>> = {
  cacheRead: ['input'],
  cacheReadAudio: ['cacheRead', 'inputAudio', 'input'],
  cacheWrite: ['input'],
  cacheWriteLong: ['cacheWrite', 'input'],
  inputAudio: ['input'],
  inputImage: ['input'],
  reasoning: ['output'],
  outputAudio: ['output'],
  outputImage: ['output'],
}

function rateOf(sheet: Fields, name: string): bigint {
  const rate = [name, ...(widerClass[name] ?? [])]
    .map((each) => sheet[each])
    .find((each) => typeof each === 'number')
  return whole(rate)
}

const cheaperTier: Readonly<Record<string, readonly string[]>> = {
  ultrafast: ['ultrafast', 'fast', 'priority'],
  fast: ['fast', 'priority'],
}

function chooseSheet(
  version: Fields,
  asked: { readonly tier: string; readonly length: bigint; readonly at: Date },
): Fields {
  const sheets = listOf(version['sheets']).map(fieldsOf)
  for (const tier of [...(cheaperTier[asked.tier] ?? [asked.tier]), 'standard']) {
    const fitting = sheets.filter(
      (sheet) =>
        (sheet['tier'] ?? 'standard') === tier &&
        (sheet['above'] === undefined || asked.length > whole(sheet['above'])),
    )
    const now = fitting.filter((sheet) => sheet['hours'] !== undefined && isNow(sheet['hours'], asked.at))
    const usual = now.length > 0 ? now : fitting.filter((sheet) => sheet['hours'] === undefined)
    const [longest] = usual.toSorted((left, right) => Number(whole(right['above']) - whole(left['above'])))
    if (longest !== undefined) return longest
  }
  throw new Error('a price without standard rates')
}

function isNow(hours: unknown, at: Date): boolean {
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes()
  return listOf(hours)
    .map(fieldsOf)
    .some(
      ({ weekdays, fromMinute, untilMinute }) =>
        listOf(weekdays).includes(at.getUTCDay()) &&
        minute >= Number(fromMinute) &&
        minute < Number(untilMinute),
    )
}
