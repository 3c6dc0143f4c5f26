import { z } from 'zod'

const text = z.string().optional().catch(undefined)

/** The filters of the list of channels, as stored in the address. */
export const channelSearchSchema = z.object({
  q: text,
  provider: text,
  status: z.enum(['enabled', 'disabled']).optional().catch(undefined),
  owner: z.enum(['file', 'api']).optional().catch(undefined),
  sort: z
    .enum(['name', '-name', 'provider', '-provider', 'priority', '-priority'])
    .optional()
    .catch(undefined),
  /** Whether the form of a new channel is open. */
  add: z.boolean().optional().catch(undefined),
})

export type ChannelSearch = z.output<typeof channelSearchSchema>
