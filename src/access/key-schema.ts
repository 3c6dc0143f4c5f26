import { z } from 'zod'
import { withFormat } from '../kit/schema/input-fact.ts'
import {
  DOT_NAME_EXPLANATION,
  isDotName,
  isReservedName,
  RESERVED_NAME_EXPLANATION,
} from '../kit/schema/is-reserved-name.ts'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { DAY_MS, MINUTE_MS } from '../kit/time/time-units.ts'
import { readAddressRange } from './address-list.ts'
import type { KeyDefaults } from './group.ts'
import type { InheritedTerms } from './key.ts'
import { budgetListSchema, budgetSchema } from './limits/budget-schema.ts'
import { rateSchema } from './limits/rate-schema.ts'
import { tagsSchema } from './limits/tags-schema.ts'
import { readGrant } from './permission.ts'

/** A key as the configuration file gives it, with its secret in plain text. */
export interface BootstrapKey extends InheritedTerms {
  readonly name: string
  readonly secret: string
  readonly group: string | undefined
  readonly expiresAtMs: number | undefined
  readonly disabled: boolean
}

/** The name of a key, a user or a group. */
export const nameSchema = z
  .string({ error: 'must be a name' })
  .regex(/^[^\p{C}\p{Z}](?:[^\p{C}]{0,62}[^\p{C}\p{Z}])?$/u, {
    error: withFormat('must be 1 to 64 printable characters', 'name'),
  })
  .refine((name) => !isReservedName(name), { error: RESERVED_NAME_EXPLANATION })
  .refine((name) => !isDotName(name), { error: DOT_NAME_EXPLANATION })

const secretExplanation = withFormat(
  'must be a text of 16 to 512 printable characters without a space at either end',
  'chosen_secret',
)

/** Space around a range is read, but not without end. */
const MAX_RANGE_CHARACTERS = 64

/** An address range that `createAddressList` understands. */
export const addressRangeSchema = z
  .string({ error: 'must be an address or a range, such as "10.0.0.0/8"' })
  .refine((text) => text.length <= MAX_RANGE_CHARACTERS && readAddressRange(text) !== undefined, {
    error: withFormat('must be an address or a range, such as "10.0.0.0/8" or "2001:db8::/32"', 'ip_range'),
  })

const MAX_NAMES = 10_000
/** No public name is longer. Members choose patterns, and every pattern of every key stays in memory. */
const MAX_PATTERN_CHARACTERS = 256
const patternError = `must have at most ${MAX_PATTERN_CHARACTERS} characters`

/** The field `models` of a key or a group: names, and patterns such as `qwen*`. */
export const modelNamesSchema = z
  .array(z.string({ error: 'must be a public name' }).max(MAX_PATTERN_CHARACTERS, { error: patternError }), {
    error: 'must be a list of public names, or ["*"] for every one',
  })
  .min(1, { error: 'must name a model, or be ["*"] for every one' })
  .max(MAX_NAMES, { error: `must have at most ${MAX_NAMES} entries` })

/** The field `allow_ips` of a key. */
export const allowIpsSchema = z
  .array(addressRangeSchema, { error: 'must be a list of addresses or ranges' })
  .min(1, { error: 'must name an address; leave the list out to allow every one' })
  .max(MAX_NAMES, { error: `must have at most ${MAX_NAMES} entries` })

const channelNameSchema = z
  .string({ error: 'must be the name of a channel' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, {
    error: withFormat('must be the name of a channel', 'channel_name'),
  })

/** The field `passthrough` of a key or a group: names of channels. */
export const passthroughSchema = z
  .array(channelNameSchema, { error: 'must be a list of channels, such as [openai]' })
  .max(1_000, { error: 'must have at most 1000 entries' })

export const flagSchema = z.boolean({ error: 'must be true or false' })
const timeExplanation = withFormat('must be a time such as 2027-01-01 or 2027-01-01T00:00:00Z', 'time')

/** The expiry of a key. A date without a time means midnight UTC at the start of that day. */
export const keyTimeSchema = z
  .string({ error: timeExplanation })
  .pipe(z.union([z.iso.datetime({ offset: true }), z.iso.date()], { error: timeExplanation }))

/** The lifetime of a key. */
export const keyLifeSchema = createDurationSchema({
  minMs: MINUTE_MS,
  maxMs: 3_650 * DAY_MS,
  range: '1m and 3650d',
})

/** The terms of a key besides its name, secret, group and expiry. */
const keyTermFields = {
  models: modelNamesSchema.optional(),
  user: nameSchema.optional(),
  allow_ips: allowIpsSchema.optional(),
  dry_run: flagSchema.optional(),
  budgets: budgetListSchema.optional(),
  rate: rateSchema.optional(),
  tags: tagsSchema.optional(),
  caller_tags: flagSchema.optional(),
  end_user_budget: budgetSchema.optional(),
  passthrough: passthroughSchema.optional(),
}

export const keySchema = z
  .strictObject({
    name: nameSchema,
    secret: z
      .string({ error: `${secretExplanation}; put it in quotes` })
      .regex(/^[\x21-\x7e][\x20-\x7e]{14,510}[\x21-\x7e]$/, { error: secretExplanation }),
    group: nameSchema.optional(),
    expires_at: keyTimeSchema.optional(),
    disabled: flagSchema.optional(),
    ...keyTermFields,
  })
  .transform(
    (input): BootstrapKey => ({
      ...openTerms,
      ...readTerms(input),
      name: input.name,
      secret: input.secret,
      group: input.group,
      expiresAtMs: input.expires_at === undefined ? undefined : Date.parse(input.expires_at),
      disabled: input.disabled ?? false,
    }),
  )

/** The field `key_defaults` of a group. */
export const keyDefaultsSchema = z
  .strictObject({ expires: keyLifeSchema.optional(), ...keyTermFields })
  .transform(({ expires, ...input }): KeyDefaults => ({ expiresAfterMs: expires, terms: readTerms(input) }))

/** The inherited terms of a key that may use every model and has no limit. */
export const openTerms: InheritedTerms = {
  permission: { type: 'all' },
  user: undefined,
  allowIps: [],
  dryRun: false,
  budgets: [],
  rate: undefined,
  tags: {},
  callerTags: false,
  endUserBudget: undefined,
  passthrough: [],
}

type TermsInput = z.output<z.ZodObject<typeof keyTermFields>>

/** The terms that are present in the input. Absent terms are left out. */
export function readTerms(input: TermsInput): Partial<InheritedTerms> {
  return {
    ...(input.models !== undefined && { permission: readGrant(input.models) }),
    ...(input.user !== undefined && { user: input.user }),
    ...(input.allow_ips !== undefined && { allowIps: input.allow_ips }),
    ...(input.dry_run !== undefined && { dryRun: input.dry_run }),
    ...(input.budgets !== undefined && { budgets: input.budgets }),
    ...(input.rate !== undefined && { rate: input.rate }),
    ...(input.tags !== undefined && { tags: input.tags }),
    ...(input.caller_tags !== undefined && { callerTags: input.caller_tags }),
    ...(input.end_user_budget !== undefined && { endUserBudget: input.end_user_budget }),
    ...(input.passthrough !== undefined && { passthrough: input.passthrough }),
  }
}
