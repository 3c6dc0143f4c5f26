import { z } from 'zod'

const text = z.string().optional().catch(undefined)

/** The filters of the list of groups and the open group, as stored in the address. */
export const groupSearchSchema = z.object({
  q: text,
  owner: z.enum(['file', 'api']).optional().catch(undefined),
  sort: text,
  /** The name of the open group. */
  group: text,
  make: z.boolean().optional().catch(undefined),
})

export type GroupSearch = z.output<typeof groupSearchSchema>
