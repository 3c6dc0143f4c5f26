import { z } from 'zod'

/** The span of the page of health, as the address holds it. */
export const healthSearchSchema = z.object({
  span: z.enum(['24h', '7d']).optional().catch(undefined),
})

export type HealthSearch = z.output<typeof healthSearchSchema>
