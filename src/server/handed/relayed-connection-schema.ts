import { z } from 'zod'

/** The facts of a caller's connection that are relayed with a request. */
export const relayedConnectionSchema = z.object({
  remoteAddress: z.string().optional(),
  localAddress: z.string().optional(),
  encrypted: z.boolean(),
})
