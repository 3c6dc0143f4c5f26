import { z } from 'zod'

const text = z.coerce.string().optional().catch(undefined)

/** The open record and the filters, as stored in the address. */
export const auditSearchSchema = z.object({
  entry: z.number().int().positive().optional().catch(undefined),
  author: text,
  action: text,
})

export type AuditSearch = z.output<typeof auditSearchSchema>
