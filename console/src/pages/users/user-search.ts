import { z } from 'zod'
import { roleSchema } from '../../../../src/admin/people/people-contract.ts'

const text = z.string().optional().catch(undefined)

/** The filters of the list of users and what is open, as stored in the address. */
export const userSearchSchema = z.object({
  tab: z.enum(['users', 'invitations', 'limits']).optional().catch(undefined),
  q: text,
  role: roleSchema.optional().catch(undefined),
  status: z.enum(['active', 'disabled']).optional().catch(undefined),
  group: text,
  sort: text,
  /** The ID or the name of the open user. */
  user: text,
  /** The name whose limits are open. */
  limits: text,
  /** Whether the form for new limits is open. */
  set: z.boolean().optional().catch(undefined),
  invite: z.boolean().optional().catch(undefined),
})

export type UserSearch = z.output<typeof userSearchSchema>
