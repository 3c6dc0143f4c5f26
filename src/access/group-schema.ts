import { z } from 'zod'
import { withFormat } from '../kit/schema/input-fact.ts'
import { type Group, NO_MULTIPLIER_PPM, type UserTerms } from './group.ts'
import { keyDefaultsSchema, modelNamesSchema, nameSchema, passthroughSchema } from './key-schema.ts'
import { budgetListSchema } from './limits/budget-schema.ts'
import { rateSchema } from './limits/rate-schema.ts'
import { readGrant } from './permission.ts'

const MAX_MULTIPLIER = 1_000
const multiplierError = withFormat(
  `must be a number from 0 to ${MAX_MULTIPLIER}, such as 1.1, with at most six decimals`,
  'multiplier',
)

const multiplierSchema = z
  .number({ error: multiplierError })
  .min(0, { error: multiplierError })
  .max(MAX_MULTIPLIER, { error: multiplierError })
  .refine((factor) => toPpm(factor) / NO_MULTIPLIER_PPM === factor, { error: multiplierError })
  .transform(toPpm)

function toPpm(factor: number): number {
  return Math.round(factor * NO_MULTIPLIER_PPM)
}

const groupFieldsSchema = z.strictObject({
  models: modelNamesSchema.optional(),
  multiplier: multiplierSchema.optional(),
  budgets: budgetListSchema.optional(),
  rate: rateSchema.optional(),
  key_defaults: keyDefaultsSchema.optional(),
  passthrough: passthroughSchema.optional(),
})

/** The section `groups`. */
export const groupsSchema = z
  .record(nameSchema, groupFieldsSchema, {
    error: 'must be a map of groups, such as { search: { models: ["*"] } }',
  })
  .transform((groups): readonly Group[] =>
    Object.entries(groups).map(([name, input]) => ({
      name,
      permission: readGrant(input.models ?? ['*']),
      multiplierPpm: input.multiplier ?? NO_MULTIPLIER_PPM,
      budgets: input.budgets ?? [],
      rate: input.rate,
      keyDefaults: input.key_defaults ?? { expiresAfterMs: undefined, terms: {} },
      passthrough: input.passthrough ?? [],
    })),
  )

const userFieldsSchema = z.strictObject({ budgets: budgetListSchema.optional(), rate: rateSchema.optional() })

/** The section `users`. */
export const usersSchema = z
  .record(nameSchema, userFieldsSchema, {
    error: 'must be a map of users, such as { alice: { rate: { rpm: 60 } } }',
  })
  .transform((users): readonly UserTerms[] =>
    Object.entries(users).map(([name, { budgets, rate }]) => ({ name, budgets: budgets ?? [], rate })),
  )
