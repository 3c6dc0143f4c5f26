// Keys as clients of the admin API see them.
import { z } from 'zod'
import type { KeySort, KeyStatus } from '../../access/key-store.ts'
import type { Actor } from '../../canonical/audit.ts'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import { captureModeSchema } from '../captures/capture-fields.ts'
import type { Effects } from '../effects/effect-contract.ts'
import { nextAfterSchema, pageFields, searchField, sortField } from '../paging/page-fields.ts'
import { wordField } from '../query-fields.ts'
import type { changeKeySchema, createKeySchema, rotateKeySchema } from './key-input-schema.ts'

const time = z.iso.datetime()
const statuses = ['active', 'disabled', 'expired', 'revoked'] as const satisfies readonly KeyStatus[]
const sorts = ['created', 'name', 'last_used', 'expires'] as const satisfies readonly KeySort[]

/** A budget in the words of the configuration, like the rate below. */
const writtenBudgetSchema = z.object({
  name: z.string().optional(),
  limit_usd: z.union([z.number(), z.literal('unlimited')]),
  window: z.string(),
  time_zone: z.string().optional(),
  mode: z.enum(['exact', 'estimate', 'observe']),
  at_limit: z.enum(['clamp', 'refuse', 'fallback']).optional(),
  fallback: z.string().optional(),
  warn_at: z.array(z.number()),
})

const writtenRateSchema = z.object({
  rpm: z.number().optional(),
  tpm: z.number().optional(),
  input_tpm: z.number().optional(),
  output_tpm: z.number().optional(),
  concurrency: z.number().optional(),
  burst: z.number().optional(),
  wait: z.string().optional(),
})

const model = z.string()
const group = z.string()
const keyWarningSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['unserved_model', 'unserved_fallback', 'ungranted_fallback']), model }),
  z.object({ type: z.literal('unmatched_pattern'), pattern: z.string() }),
  z.object({ type: z.literal('withheld_by_group'), model, group }),
  z.object({ type: z.literal('unknown_group'), group }),
  z.object({
    type: z.literal('refused_for_price'),
    models: z.array(model).meta({ description: 'Operators see the channels of each besides.' }),
  }),
])

export const keyViewSchema = z.object({
  id: z.string(),
  name: z.string().meta({ description: 'Unique among keys that are not revoked.' }),
  hint: z
    .string()
    .meta({ description: 'The first characters of the secret; empty if it was not created here.' }),
  models: z
    .array(z.string())
    .meta({ description: 'Public model names that the key may use; "*" is every one.' }),
  user: z.string().nullable().meta({ description: 'The person or program that the key belongs to.' }),
  group: z.string().nullable(),
  dry_run: z
    .boolean()
    .meta({ description: 'Whether the key may ask where a request would go (x-headgate-dry-run: 1).' }),
  allow_ips: z.array(z.string()).meta({ description: 'Addresses and ranges; empty allows every address.' }),
  expires_at: time.nullable(),
  status: z.enum(statuses),
  revoked_at: time.nullable(),
  created_at: time,
  last_used_at: time.nullable().meta({ description: 'To the minute; null where it was never used.' }),
  previous_secret_until: time
    .nullable()
    .meta({ description: 'Until when the secret before a rotation works beside the new one.' }),
  budgets: z.array(writtenBudgetSchema),
  rate: writtenRateSchema.nullable(),
  tags: z.record(z.string(), z.string()),
  caller_tags: z.boolean().meta({ description: 'Whether requests may have tags of their own.' }),
  end_user_budget: writtenBudgetSchema
    .nullable()
    .meta({ description: 'Of each customer that its callers name.' }),
  passthrough: z
    .array(z.string())
    .meta({ description: 'Channels whose own paths it may ask under /passthrough; empty allows none.' }),
  origin: z
    .enum(['made', 'bootstrap'])
    .meta({ description: 'Bootstrap keys belong to the configuration file and are changed there.' }),
  capture: captureModeSchema.meta({ description: 'What is stored of its prompts and answers.' }),
  warnings: z.array(z.string()).meta({
    description: 'What the key is given that has no effect, such as a model that no channel serves.',
  }),
  warning_facts: z
    .array(keyWarningSchema)
    .meta({ description: 'The same warnings as data, in their order.' }),
})

export const createdKeySchema = keyViewSchema.extend({
  secret: z.string().meta({ description: 'Shown only now; it cannot be read again.' }),
})

const listedKeySchema = keyViewSchema.extend({
  cost_this_month_usd: z.number().nullable().meta({
    description:
      'What providers ask for its requests since the month began (UTC), in US dollars; null where no server knows.',
  }),
})

export const keyListSchema = z.object({ data: z.array(listedKeySchema), next_after: nextAfterSchema })

export const listKeysSchema = z.strictObject({
  q: searchField,
  user: wordField.optional(),
  group: wordField.optional(),
  status: z
    .enum(statuses, { error: `must be one of ${statuses.join(', ')}` })
    .meta({ description: 'Absent: all but those that are revoked.' })
    .optional(),
  include_revoked: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  sort: sortField(sorts),
  ...pageFields,
})

export type KeyWarningView = Readonly<z.output<typeof keyWarningSchema>>
export type KeyView = Readonly<z.output<typeof keyViewSchema>>
export type CreatedKey = Readonly<z.output<typeof createdKeySchema>>
export type ListedKey = Readonly<z.output<typeof listedKeySchema>>
export type KeyList = Readonly<z.output<typeof keyListSchema>>
export type ListKeys = Readonly<z.input<typeof listKeysSchema>>
export type CreateKey = Readonly<z.input<typeof createKeySchema>>
export type ChangeKey = Readonly<z.input<typeof changeKeySchema>>
export type RotateKey = Readonly<z.input<typeof rotateKeySchema>>

/**
 * The operations on keys. `reference` is a key's ID, or the name of a key that is not revoked. Every promise resolves
 * after the change is durable and applies to the next request. `by` is the author for the audit log. The default is
 * the author for whom these operations were created.
 */
export interface KeyOperations {
  /**
   * Lists a page, the oldest first unless the query says otherwise. If `ownedBy` is given, only the keys of these
   * owners.
   */
  list(query: ListKeys, ownedBy?: OwnedBy): Promise<KeyList>
  create(input: CreateKey, by?: Actor): Promise<CreatedKey>
  /** Creates a key that expires no later than the group's default for new keys. */
  createWithinLife(input: CreateKey, by?: Actor): Promise<CreatedKey>
  get(reference: string): Promise<KeyView>
  change(reference: string, change: ChangeKey, by?: Actor): Promise<KeyView>
  /** Returns the effects of a change without making it. */
  preview(reference: string, change: ChangeKey): Promise<Effects>
  /** Gives the key a new secret. The previous secret stays valid for the overlap. */
  rotate(reference: string, input: RotateKey, by?: Actor): Promise<CreatedKey>
  /** Revokes a key permanently. A key that is already revoked is not changed. */
  revoke(reference: string, by?: Actor): Promise<KeyView>
}

/** The operations for operators, and the same operations with views for the owners of keys. */
export interface KeyOperationsByReader extends KeyOperations {
  readonly forOwners: KeyOperations
  /** Whether the group gives its new keys an end, limits or tags. */
  limitsNewKeys(group: string): boolean
}
