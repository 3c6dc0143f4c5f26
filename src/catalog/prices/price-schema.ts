import { z } from 'zod'
import { nanoDollarsOf } from '../../canonical/money.ts'
import { withFact, withFormat } from '../../kit/schema/input-fact.ts'

const MAX_DOLLARS = 1_000_000
const error = 'must be US dollars for a million tokens, such as 2.5'

const dollarsSchema = z
  .number({ error })
  .nonnegative({ error })
  .max(MAX_DOLLARS, { error: `must be at most ${MAX_DOLLARS} US dollars for a million tokens` })
  .transform(nanoDollarsOf)

const rateFields = {
  input: dollarsSchema,
  cached_input: dollarsSchema.optional(),
  cached_audio: dollarsSchema.optional(),
  cache_write: dollarsSchema.optional(),
  cache_write_1h: dollarsSchema.optional(),
  input_audio: dollarsSchema.optional(),
  input_image: dollarsSchema.optional(),
  output: dollarsSchema,
  reasoning: dollarsSchema.optional(),
  output_audio: dollarsSchema.optional(),
  output_image: dollarsSchema.optional(),
}

const rates = 'must have what a million tokens cost in US dollars, such as { input: 2.5, output: 10 }'

const ratesSchema = z.strictObject(rateFields, { error: rates }).meta({ id: 'rates' }).optional()

const tierFields = {
  batch: ratesSchema,
  flex: ratesSchema,
  priority: ratesSchema,
  fast: ratesSchema,
  ultrafast: ratesSchema,
}

const tokens = 'must be a whole number of tokens above 0, such as 200000'

const aboveSchema = z
  .array(
    z.strictObject(
      { tokens: z.int({ error: tokens }).positive({ error: tokens }), ...rateFields, ...tierFields },
      { error: rates },
    ),
    { error: 'must be a list, such as [{ tokens: 200000, input: 5, output: 15 }]' },
  )
  .optional()

const clock = withFormat('must be a time of day in UTC, such as "16:30"', 'time_of_day')
const clockSchema = z
  .string({ error: clock })
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: clock })
  .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)))

/** The days of the week, in the order of `Date`. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const days = `must be a list of ${weekdays.join(', ')}`

const hoursInputSchema = z.strictObject(
  {
    days: z
      .array(z.enum(weekdays, { error: days }), { error: days })
      .min(1, { error: days })
      .optional(),
    from: clockSchema,
    until: clockSchema,
    ...rateFields,
  },
  { error: 'must have "from" and "until", times of day in UTC, and what a million tokens cost then' },
)

const hoursSchema = z
  .array(hoursInputSchema, {
    error: 'must be a list, such as [{ from: "16:30", until: "00:30", input: 0.1, output: 0.4 }]',
  })
  .optional()

const toolDollars = 'must be US dollars for a thousand calls, such as 10'
const CALLS_PER_MILLION = 1_000

const toolCallsSchema = z
  .record(
    z.string(),
    z
      .number({ error: toolDollars })
      .nonnegative({ error: toolDollars })
      .max(1_000, { error: 'must be at most 1000 US dollars for a thousand calls' })
      .transform((dollars) => nanoDollarsOf(dollars * CALLS_PER_MILLION)),
    { error: 'must be a map of tools to US dollars for a thousand calls, such as { web_search: 10 }' },
  )
  .optional()

const from = withFormat(
  'must be a date or a time with its zone, such as 2027-01-01 or 2027-01-01T09:00:00Z',
  'time',
)

const onePriceSchema = z
  .strictObject(
    {
      ...rateFields,
      ...tierFields,
      above: aboveSchema,
      hours: hoursSchema,
      tool_calls: toolCallsSchema,
      effective_from: z
        .string({ error: from })
        .pipe(z.union([z.iso.datetime({ offset: true }), z.iso.date()], { error: from }))
        .optional(),
    },
    { error: rates },
  )
  .meta({ id: 'price' })

export type PriceInput = z.output<typeof onePriceSchema>
export type RatesInput = z.output<typeof ratesSchema> & object
export type HoursInput = z.output<typeof hoursInputSchema>

/** The price of a model, or a list of its prices with their start dates. */
export const priceSchema = z.union(
  [
    onePriceSchema.transform((price) => [price]),
    z
      .array(onePriceSchema)
      .min(1, { error: 'must have a price' })
      .refine(
        (prices) => new Set(prices.map(({ effective_from }) => effective_from)).size === prices.length,
        {
          error: withFact('must have another effective_from for each price', {
            code: 'repeated',
            values: {},
          }),
        },
      ),
  ],
  { error: rates },
)
