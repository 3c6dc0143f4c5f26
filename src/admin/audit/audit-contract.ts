// The audit as clients of the admin API see it. This file imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { auditActions } from '../../canonical/audit.ts'
import { wholeNumberField, wordField } from '../query-fields.ts'

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
  action: z.string().meta({ description: 'Such as key.create, key.revoke or config.change.' }),
  subject: z
    .string()
    .meta({ description: 'A key by its id, a version by its number, a channel by its name.' }),
  details: z.array(z.string()).meta({ description: 'What changed, without secrets.' }),
})

export const auditListSchema = z.object({
  data: z.array(auditEntrySchema),
  next_before: z.number().nullable().meta({ description: 'For the next page; null on the last page.' }),
})

export type AuditEntryView = Readonly<z.output<typeof auditEntrySchema>>
export type AuditList = Readonly<z.output<typeof auditListSchema>>
export type ListAudit = Readonly<z.input<typeof listAuditSchema>>

/** The operations that read the audit. */
export interface AuditOperations {
  /** Lists the newest first. */
  list(page: ListAudit): Promise<AuditList>
}
