// The audit as clients of the admin API see it. This file imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { auditActions } from '../../canonical/audit.ts'
import { wholeNumberField, wordField } from '../query-fields.ts'
import { actorSchema } from './actor-contract.ts'

export const auditActionField = z
  .enum(auditActions, { error: 'must be an action, such as key.create' })
  .meta({ description: 'What was done.' })

export const listAuditSchema = z.strictObject({
  limit: wholeNumberField(1, 1_000).optional(),
  before: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be the number of a record' })
    .optional(),
  author: wordField.meta({ description: 'What this author did.' }).optional(),
  action: auditActionField.optional(),
})

const auditFactKinds = [
  'every_model',
  'dry_runs',
  'caller_tags',
  'no_groups',
  'disabled',
  'enabled',
  'expires_at',
  'until',
  'secret_ended',
  'secret_ends',
  'credit',
  'codes_made',
  'raised',
  'raised_until',
  'spent_until_reset',
  'object_added',
  'object_removed',
  'object_changed',
  'setting_added',
  'setting_removed',
  'setting_changed',
  'equal_to_version',
  'keys_changed',
  'setting_edited',
  'certificate_changed',
  'nothing_changed',
  'provider_answered',
  'provider_status',
  'provider_no_answer',
  'provider_private',
  'provider_late',
  'provider_proxy',
  'provider_issuer',
  'provider_claim_missing',
  'provider_claim',
  'provider_old_sign_in',
  'provider_signature',
  'provider_unreadable',
  'alert_channel_down',
  'alert_out',
  'alert_error_rate',
  'alert_first_token',
  'alert_whole_answer',
  'alert_budget',
  'alert_budget_spent',
  'alert_key_expiry',
  'alert_certificate_expiry',
  'alert_unpriced',
  'alert_disk',
  'signed_out',
  'factor_on',
  'factor_off',
  'no_role',
  'without_secrets',
  'delivered',
  'for_time',
  'captured_key',
  'captures_of_key',
  'budget',
  'end_user_budget',
  'tag',
  'by_link',
  'left_group',
  'manager_of_group',
  'member_of_group',
  'name',
  'models',
  'model',
  'group',
  'groups',
  'addresses',
  'user',
  'rate',
  'passthrough',
  'role',
  'type',
  'identity',
  'refused',
  'session',
  'for',
  'of',
  'to',
  'scopes',
  'reason',
  'code',
  'grant',
  'secret',
  'provider',
  'comment',
  'undone_version',
  'value',
  'text',
] as const

export const auditFactSchema = z.object({
  kind: z
    .enum(auditFactKinds)
    .meta({ description: 'What is said; text where it is known as a sentence alone.' }),
  gone: z.boolean().meta({ description: 'Whether it is no longer so.' }),
  values: z.record(z.string(), z.string()).meta({
    description: 'Such as before and after, as JSON; a value that was or is not there is left out.',
  }),
})

const auditEntrySchema = z.object({
  number: z.number(),
  at: z.iso.datetime(),
  author: z.string().meta({
    description:
      'Who: a user or a service by name, the admin token, the command line, the configuration file.',
  }),
  credential: z.string().meta({
    description:
      'How they have shown who they are, such as session, token "ci", password or link; empty if nobody asked.',
  }),
  address: z.string().meta({ description: 'The address of the request; empty if there was no request.' }),
  actor: actorSchema.meta({ description: 'Author, credential and address as data.' }),
  action: z.string().meta({ description: 'Such as key.create, key.revoke or config.change.' }),
  subject: z
    .string()
    .meta({ description: 'A key by its id, a version by its number, a channel by its name.' }),
  details: z.array(z.string()).meta({ description: 'What changed, without secrets.' }),
  facts: z.array(auditFactSchema).meta({ description: 'The same details as data, in their order.' }),
})

export const auditListSchema = z.object({
  data: z.array(auditEntrySchema),
  next_before: z.number().nullable().meta({ description: 'For the next page; null on the last page.' }),
})

export type AuditFactKind = (typeof auditFactKinds)[number]
export type AuditFact = Readonly<z.output<typeof auditFactSchema>>
export type AuditEntryView = Readonly<z.output<typeof auditEntrySchema>>
export type AuditList = Readonly<z.output<typeof auditListSchema>>
export type ListAudit = Readonly<z.input<typeof listAuditSchema>>

/** The operations that read the audit. */
export interface AuditOperations {
  /** Lists the newest first. */
  list(page: ListAudit): Promise<AuditList>
}
