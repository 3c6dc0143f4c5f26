import { z } from 'zod'

/** The record that is open, as the address holds it. */
export const auditSearchSchema = z.object({
  entry: z.number().int().positive().optional().catch(undefined),
})
