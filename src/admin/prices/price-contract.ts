// Prices as clients of the admin API see them. This file imports no code but zod, so that a browser can import it.
import { z } from 'zod'

export const listPricesSchema = z.strictObject({
  model: z.string().optional().meta({ description: 'A public name.' }),
  at: z
    .union([z.iso.datetime({ offset: true }), z.iso.date()], {
      error: 'must be a date or a time with its zone, such as 2027-01-01',
    })
    .optional()
    .meta({ description: 'The moment at which the price is in force; now if absent.' }),
})

const ratesSchema = z.record(z.string(), z.number())

const priceViewSchema = z.object({
  version: z.string().meta({ description: 'As rows of the ledger name it.' }),
  source: z.enum(['table', 'model', 'channel', 'free']).meta({
    description:
      "table: the price table; model: the model's price in the configuration; channel: the channel's; free: a server of your own.",
  }),
  effective_from: z.iso.datetime().nullable().meta({ description: 'null: at any time.' }),
  price: z
    .record(z.string(), z.json())
    .meta({ description: "As a model's price in the configuration: US dollars for a million tokens." }),
  regions: ratesSchema.meta({
    description: 'What the cost is multiplied by where the answer says that it was computed there.',
  }),
})

const targetPriceSchema = z.object({
  model: z.string().meta({ description: 'The public name.' }),
  channel: z.string(),
  upstream_model: z.string(),
  in_force: priceViewSchema.nullable().meta({ description: 'null: no price is known.' }),
  others: z.array(priceViewSchema).meta({ description: 'Earlier and later versions.' }),
  max_input_tokens: z.number().nullable().meta({ description: 'Of the price table.' }),
  max_output_tokens: z.number().nullable(),
})

export const priceListSchema = z.object({
  data: z.array(targetPriceSchema).meta({ description: 'By model, each with its targets.' }),
})

export type PriceView = Readonly<z.output<typeof priceViewSchema>>
export type TargetPriceView = Readonly<z.output<typeof targetPriceSchema>>
export type PriceList = Readonly<z.output<typeof priceListSchema>>
export type ListPrices = Readonly<z.input<typeof listPricesSchema>>

/** The operations that read prices. */
export interface PriceOperations {
  list(params: ListPrices): Promise<PriceList>
}
