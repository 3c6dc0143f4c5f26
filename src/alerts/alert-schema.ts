import { z } from 'zod'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/time/time-units.ts'
import { isWebhookSecret } from './sign-webhook.ts'

/** The destination of alerts: problems that last until somebody acts. */
export interface AlertPolicy {
  /** An http or https address; what follows its host is often a secret. */
  readonly webhook: string
  /** Headers of the webhook, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** `whsec_` and base64: by which the receiver knows that a POST comes from here. Undefined: POSTs are not signed. */
  readonly secret: string | undefined
  /** The same alert is sent again no sooner than this. */
  readonly repeatMs: number
  /** Whether the address may lead to this machine or a private network. */
  readonly allowPrivate: boolean
}

export const DEFAULT_ALERT_REPEAT_MS = HOUR_MS

const addressError = 'must be an http or https address without user, password and fragment'

/** Headers that carry the connection, the body or the signature. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  ...['content-length', 'content-type', 'content-encoding', 'transfer-encoding', 'te', 'trailer'],
  ...['host', 'connection', 'keep-alive', 'upgrade', 'expect'],
])

const headersSchema = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'is not the name of a header' })
    .refine((name) => !ownHeaders.has(name.toLowerCase()), { error: 'is set by Headgate itself' }),
  z.string({ error: 'must be a text; put it in quotes' }).regex(/^[\x20-\x7e]*$/, {
    error: 'must be printable characters on one line',
  }),
  { error: 'must be a map of header names to values' },
)

const secretSchema = z.string({ error: 'must be a text; put it in quotes' }).refine(isWebhookSecret, {
  error:
    'must be "whsec_" and the base64 of 24 to 64 random bytes, such as: echo "whsec_$(openssl rand -base64 32)"',
})

/** The section `alerts`. */
export const alertSchema = z
  .strictObject(
    {
      webhook: z.string({ error: addressError }).refine(isWebAddress, { error: addressError }),
      headers: headersSchema.optional(),
      secret: secretSchema.optional(),
      repeat: createDurationSchema({
        minMs: MINUTE_MS,
        maxMs: 30 * DAY_MS,
        range: '1m and 30d',
      }).optional(),
      allow_private: z.boolean({ error: 'must be true or false' }).optional(),
    },
    { error: 'must name an address, such as { webhook: "https://hooks.example.com/…" }' },
  )
  .transform(
    ({ webhook, headers = {}, secret, repeat, allow_private }): AlertPolicy => ({
      webhook: new URL(webhook).href,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      secret,
      repeatMs: repeat ?? DEFAULT_ALERT_REPEAT_MS,
      allowPrivate: allow_private ?? false,
    }),
  )

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === ''
}
