import { z } from 'zod'

const text = z.string().optional().catch(undefined)

/** The filters of the list of keys, as stored in the address. */
export const keySearchSchema = z.object({
  q: text,
  group: text,
  user: text,
  status: z.enum(['active', 'disabled', 'expired', 'revoked']).optional().catch(undefined),
  sort: text,
  /** Whether the form of a new key is open. */
  make: z.boolean().optional().catch(undefined),
})

export type KeySearch = z.output<typeof keySearchSchema>
