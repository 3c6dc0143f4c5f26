import { z } from 'zod'
import { nanoDollarsOf, type Price } from '../canonical/money.ts'

const MOST_DOLLARS = 1_000_000
const error = 'must be US dollars for a million tokens, such as 2.5'

const dollarsSchema = z
  .number({ error })
  .nonnegative({ error })
  .max(MOST_DOLLARS, { error: `must be at most ${MOST_DOLLARS} US dollars for a million tokens` })

/** A model's `price`. */
export const priceSchema = z
  .strictObject(
    { input: dollarsSchema, cached_input: dollarsSchema.optional(), output: dollarsSchema },
    {
      error: 'must have what a million tokens cost in US dollars, such as { input: 2.5, output: 10 }',
    },
  )
  .transform(
    (input): Price => ({
      input: nanoDollarsOf(input.input),
      ...(input.cached_input !== undefined && { cachedInput: nanoDollarsOf(input.cached_input) }),
      output: nanoDollarsOf(input.output),
    }),
  )
