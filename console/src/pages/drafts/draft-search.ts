import { z } from 'zod'

/** The draft that is in view, as the address holds it. */
export const draftSearchSchema = z.object({ id: z.string().optional().catch(undefined) })
