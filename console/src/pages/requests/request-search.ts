import { z } from 'zod'

// The router reads "429" of an address as a number, and "false" as no text either.
const text = z.coerce.string().optional().catch(undefined)
const yesOrNo = z.coerce
  .string()
  .pipe(z.enum(['true', 'false']))
  .optional()
  .catch(undefined)

/** The filters of the list of requests, as the address holds them. */
export const requestSearchSchema = z.object({
  key: text,
  user: text,
  group: text,
  model: text,
  channel: text,
  status: text,
  error: text,
  stream: yesOrNo,
  captured: z.coerce.string().pipe(z.literal('true')).optional().catch(undefined),
  min_ms: text,
  /** A span before now, such as "1h", or a moment. */
  since: text,
  until: text,
  /** Whether new requests appear by themselves. */
  live: z.boolean().optional().catch(undefined),
})

export type RequestSearch = z.output<typeof requestSearchSchema>
