import { z } from 'zod'

const text = z.coerce.string().optional().catch(undefined)

/** The record that is open and the filters, as the address holds them. */
export const auditSearchSchema = z.object({
  entry: z.number().int().positive().optional().catch(undefined),
  author: text,
  action: text,
})

export type AuditSearch = z.output<typeof auditSearchSchema>
