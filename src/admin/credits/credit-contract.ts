// Credits as clients of the admin API see them. This file imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { authorFactField } from '../audit/actor-contract.ts'
import { nextAfterSchema } from '../paging/page-fields.ts'
import type {
  createCodesSchema,
  grantCreditSchema,
  listCodesSchema,
  listCreditsSchema,
  redeemCodeSchema,
} from './credit-input-schema.ts'

/** The reason of codes that were created without one. */
export const DEFAULT_CODE_REASON = 'redemption code'

const time = z.iso.datetime()
const usd = z.number()

const grantViewSchema = z.object({
  id: z.string(),
  owner: z.string().meta({ description: 'Such as key:ci, user:alice or group:search.' }),
  amount_usd: usd.meta({ description: 'Below zero where credit was taken back.' }),
  reason: z.string(),
  author: z.string(),
  author_fact: authorFactField,
  at: time,
  expires_at: time.nullable().meta({ description: 'What is not spent by then lapses; null: never.' }),
  code_id: z.string().nullable().meta({ description: 'The redemption code that it comes from.' }),
})

export const creditViewSchema = z.object({
  owner: z.string(),
  remaining_usd: usd.meta({ description: 'Below zero where more was spent than there was.' }),
  lapsed_usd: usd.meta({ description: 'What nobody spent in time.' }),
  next_lapse: z.object({ at: time, amount_usd: usd }).nullable(),
  grants: z.array(grantViewSchema).meta({ description: 'Oldest first.' }),
})

export const creditListSchema = z.object({ data: z.array(creditViewSchema), next_after: nextAfterSchema })

const codeViewSchema = z.object({
  id: z.string(),
  hint: z.string().meta({ description: 'The first characters of the code.' }),
  amount_usd: usd,
  reason: z.string(),
  author: z.string(),
  author_fact: authorFactField,
  created_at: time,
  expires_at: time.nullable().meta({ description: 'Until when it can be redeemed.' }),
  credit_life: z.string().nullable().meta({ description: 'How long the credit lasts once it is redeemed.' }),
  state: z.enum(['open', 'redeemed', 'revoked', 'expired']),
  redeemed_by: z.string().nullable().meta({ description: 'Whose credit it became, such as key:ci.' }),
  ended_at: time.nullable().meta({ description: 'When it was redeemed or revoked.' }),
  grant_id: z.string().nullable(),
})

export const createdCodesSchema = z.object({
  data: z.array(
    codeViewSchema.extend({
      code: z.string().meta({ description: 'Shown only now; it cannot be read again.' }),
    }),
  ),
})

export const codeListSchema = z.object({
  data: z.array(codeViewSchema),
  next_before: z.number().nullable().meta({ description: 'For the next page; null on the last page.' }),
})

export const revokedCodeSchema = z.object({ id: z.string(), state: z.literal('revoked') })

export type GrantView = Readonly<z.output<typeof grantViewSchema>>
export type CreditView = Readonly<z.output<typeof creditViewSchema>>
export type CreditList = Readonly<z.output<typeof creditListSchema>>
export type CodeView = Readonly<z.output<typeof codeViewSchema>>
export type CodeList = Readonly<z.output<typeof codeListSchema>>
export type CreatedCodes = Readonly<z.output<typeof createdCodesSchema>>
export type RevokedCode = Readonly<z.output<typeof revokedCodeSchema>>
export type GrantCredit = Readonly<z.input<typeof grantCreditSchema>>
export type ListCredits = Readonly<z.input<typeof listCreditsSchema>>
export type CreateCodes = Readonly<z.input<typeof createCodesSchema>>
export type RedeemCode = Readonly<z.input<typeof redeemCodeSchema>>
export type ListCodes = Readonly<z.input<typeof listCodesSchema>>
