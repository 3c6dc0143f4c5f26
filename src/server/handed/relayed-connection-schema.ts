import { z } from 'zod'

/** The facts of a caller's connection that a process passes on with a request. */
export const relayedConnectionSchema = z.object({
  remoteAddress: z.string().optional(),
  localAddress: z.string().optional(),
  encrypted: z.boolean(),
})
