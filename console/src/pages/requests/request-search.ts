import { z } from 'zod'

// The router parses "429" in an address as a number and "false" as a boolean, so the value is converted back to text.
const text = z.coerce.string().optional().catch(undefined)
const yesOrNo = z.coerce
  .string()
  .pipe(z.enum(['true', 'false']))
  .optional()
  .catch(undefined)

/** The filters of the list of requests, as stored in the address. */
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
  /** A span before now, such as "1h", or a time. */
  since: text,
  until: text,
  /** Whether new requests appear by themselves. */
  live: z.boolean().optional().catch(undefined),
})

export type RequestSearch = z.output<typeof requestSearchSchema>
