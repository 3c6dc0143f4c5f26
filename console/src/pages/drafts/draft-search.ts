import { z } from 'zod'

/** The shown draft, as stored in the address. */
export const draftSearchSchema = z.object({ id: z.string().optional().catch(undefined) })
