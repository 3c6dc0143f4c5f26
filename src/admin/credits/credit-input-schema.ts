import { z } from 'zod'
import { keyLifeSchema, nameSchema } from '../../access/key-schema.ts'
import { signedUsdSchema, usdSchema } from '../../access/limits/usd-schema.ts'
import { NANO_DOLLARS_PER_DOLLAR, nanoDollarsOf } from '../../canonical/money.ts'
import { withFact } from '../../kit/schema/input-fact.ts'
import { expirySchema } from '../expiry-schema.ts'
import { pageFields, sortField } from '../paging/page-fields.ts'
import { wholeNumberField } from '../query-fields.ts'
import { reasonSchema } from '../reason-schema.ts'

/** The owner of a credit: exactly one field. */
const owner = {
  key: z
    .string({ error: 'must be the id or the name of a key' })
    .min(1, { error: 'must be the id or the name of a key' })
    .optional()
    .meta({ description: 'The id of a key, or the name of one that is not revoked.' }),
  user: nameSchema.optional(),
  group: nameSchema.optional(),
}

const ownerError = {
  error: withFact('give exactly one of key, user and group', {
    code: 'not_exactly_one',
    values: { fields: ['key', 'user', 'group'] },
  }),
  path: ['key'],
}

type NamedOwners = Partial<Record<'key' | 'user' | 'group', string | undefined>>

function countOwners({ key, user, group }: NamedOwners): number {
  return [key, user, group].filter((name) => name !== undefined).length
}

function hasOneOwner(named: NamedOwners): boolean {
  return countOwners(named) === 1
}

export const creditSorts = ['owner', 'remaining'] as const

/** The credits to show; without an owner, all. */
export const listCreditsSchema = z
  .strictObject({ ...owner, sort: sortField(creditSorts), ...pageFields })
  .refine((named) => countOwners(named) <= 1, {
    error: 'give at most one of key, user and group',
    path: ['key'],
  })

/** An order to give credit, or to take it back with an amount below zero. */
export const grantCreditSchema = z
  .strictObject({
    ...owner,
    amount_usd: signedUsdSchema.meta({ description: 'US dollars; below zero, credit is taken back.' }),
    reason: reasonSchema,
    expires_at: expirySchema.optional(),
  })
  .refine(hasOneOwner, ownerError)

/** A code is worth as much as cash to its reader. */
export const MAX_CODE_WORTH = nanoDollarsOf(10_000)
const MAX_DOLLARS = MAX_CODE_WORTH / NANO_DOLLARS_PER_DOLLAR
const MAX_CODES = 1_000
const countError = `must be a whole number from 1 to ${MAX_CODES}`

/** The input for a batch of codes. Each code gives its credit once. */
export const createCodesSchema = z.strictObject({
  amount_usd: usdSchema.refine((amount) => amount > 0 && amount <= MAX_CODE_WORTH, {
    error: withFact(`must be US dollars above 0 and at most ${MAX_DOLLARS}`, {
      code: 'out_of_range',
      values: { minimum: '0', maximum: `${MAX_DOLLARS}` },
    }),
  }),
  count: z
    .int({ error: countError })
    .min(1, { error: countError })
    .max(MAX_CODES, { error: countError })
    .optional(),
  reason: reasonSchema.optional(),
  expires_at: expirySchema.optional().meta({ description: 'Until when they can be redeemed.' }),
  credit_life: keyLifeSchema
    .optional()
    .meta({ description: 'How long the credit lasts once it is redeemed, such as "90d".' }),
})

const codeError = 'must be a code such as HG-7K2M-…'

export const redeemCodeSchema = z
  .strictObject({
    ...owner,
    code: z.string({ error: codeError }).min(1, { error: codeError }).max(200, { error: codeError }),
  })
  .refine(hasOneOwner, ownerError)

export const listCodesSchema = z.strictObject({
  limit: wholeNumberField(1, 1_000).optional(),
  before: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be the number of a page' })
    .optional(),
})
