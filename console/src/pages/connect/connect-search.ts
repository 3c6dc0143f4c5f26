import { z } from 'zod'
import { clientNames } from './client-settings.ts'

const text = z.string().optional().catch(undefined)

/** The choices on the page, as stored in the address. */
export const connectSearchSchema = z.object({
  client: z.enum(clientNames).optional().catch(undefined),
  key: text,
  model: text,
  address: text,
})

export type ConnectSearch = z.output<typeof connectSearchSchema>
