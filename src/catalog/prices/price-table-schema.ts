import { z } from 'zod'
import { type NanoDollars, PPM } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { priceTiers } from './price.ts'
import type { TableModel } from './price-table.ts'

const rateSchema = z
  .int()
  .nonnegative()
  .transform((rate) => brand<NanoDollars>(rate))
const ratesSchema = z.record(z.string(), rateSchema)
const dateSchema = z.iso.date()
const limitSchema = z.int().positive().exactOptional()

const hoursSchema = z.strictObject({
  weekdays: z.array(z.int().min(0).max(6)),
  fromMinute: z.int().min(0).max(1_440),
  untilMinute: z.int().min(0).max(1_440),
})

const sheetSchema = z.strictObject({
  tier: z.enum(priceTiers).exclude(['standard']).exactOptional(),
  above: z.int().positive().exactOptional(),
  hours: z.array(hoursSchema).exactOptional(),
  input: rateSchema,
  cacheRead: rateSchema.exactOptional(),
  cacheReadAudio: rateSchema.exactOptional(),
  cacheWrite: rateSchema.exactOptional(),
  cacheWriteLong: rateSchema.exactOptional(),
  inputAudio: rateSchema.exactOptional(),
  inputImage: rateSchema.exactOptional(),
  output: rateSchema,
  reasoning: rateSchema.exactOptional(),
  outputAudio: rateSchema.exactOptional(),
  outputImage: rateSchema.exactOptional(),
})

const versionSchema = z.strictObject({
  from: dateSchema,
  sheets: z
    .array(sheetSchema)
    .refine(
      (sheets) => sheets.length === 0 || sheets.some(({ tier, above, hours }) => !tier && !above && !hours),
    ),
  toolCalls: ratesSchema.exactOptional(),
  toolsByAnswer: z.array(z.string()).exactOptional(),
  regionPpm: z.record(z.string(), z.int().min(PPM)).exactOptional(),
  units: ratesSchema.exactOptional(),
})

const tableModelSchema: z.ZodType<TableModel> = z.strictObject({
  provider: z.string(),
  name: z.string(),
  mode: z.string(),
  maxInputTokens: limitSchema,
  maxOutputTokens: limitSchema,
  versions: z.array(versionSchema),
})

/** A whole table. Its models are read one by one, on first use. */
const priceTableSchema = z.strictObject({
  source: z.string(),
  date: dateSchema,
  licence: z.string(),
  models: z.array(z.looseObject({ provider: z.string(), name: z.string() })),
})

export type RawTable = z.output<typeof priceTableSchema>
export type RawModel = RawTable['models'][number]

/** Thrown for an invalid price table. The message has the path of the first fault. */
export class PriceTableError extends Error {
  override readonly name = 'PriceTableError'
}

/** Reads a table without its models. Throws `PriceTableError` where the value is not a price table. */
export function readTableHead(value: unknown): RawTable {
  return parse(priceTableSchema, value, 'the table')
}

/** Reads one model. Throws `PriceTableError` where the model is invalid. */
export function readTableModel(raw: RawModel): TableModel {
  return parse(tableModelSchema, raw, `${raw.provider}/${raw.name}`)
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown, name: string): Value {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const [issue] = error.issues
  throw new PriceTableError(`${[name, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`)
}
