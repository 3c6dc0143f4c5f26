import { z } from 'zod'
import { signedUsdSchema } from '../../access/limits/usd-schema.ts'
import { expirySchema } from '../expiry-schema.ts'
import { pageFields, searchField, sortField } from '../paging/page-fields.ts'
import { wholeNumberField } from '../query-fields.ts'
import { reasonSchema } from '../reason-schema.ts'

const value = z
  .string({ error: 'must be a value of the tag' })
  .min(1, { error: 'must be a value of the tag' })
  .optional()
  .meta({ description: 'Of a tag of which every value has a budget of its own.' })

export const budgetSorts = ['name', 'spent', 'used'] as const
const scopes = ['installation', 'key', 'user', 'group', 'tag', 'model', 'channel'] as const
const scopeError = `must be one of ${scopes.join(', ')}, or one with its name, such as key:ci`

export const listBudgetsSchema = z.strictObject({
  q: searchField,
  scope: z
    .string()
    .max(512, { error: scopeError })
    .regex(new RegExp(`^(${scopes.join('|')})(:.+)?$`, 'su'), { error: scopeError })
    .meta({ description: 'What the budgets stand on: a kind such as user, or one such as user:alice.' })
    .optional(),
  sort: sortField(budgetSorts),
  ...pageFields,
})

export const showBudgetSchema = z.strictObject({ value })

/** The number of a tag's values to show. */
export const listValuesSchema = z.strictObject({
  limit: wholeNumberField(1, 1_000).optional(),
})

/** A raise, which gives a budget more room for a while. */
export const raiseBudgetSchema = z.strictObject({
  by_usd: signedUsdSchema.meta({ description: 'US dollars; below zero, the limit is lower.' }),
  until: expirySchema.optional(),
  reason: reasonSchema.optional(),
})

/** A reset, which starts a budget again at zero. */
export const resetBudgetSchema = z.strictObject({ value, reason: reasonSchema.optional() })
