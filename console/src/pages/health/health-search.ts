import { z } from 'zod'

/** The span of the health page, as stored in the address. */
export const healthSearchSchema = z.object({
  span: z.enum(['24h', '7d']).optional().catch(undefined),
})
