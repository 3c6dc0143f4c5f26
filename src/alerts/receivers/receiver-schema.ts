import { z } from 'zod'
import { withFact, withFormat } from '../../kit/schema/input-fact.ts'
import { type AlertKind, alertKinds, type Severity, severities } from '../alert.ts'
import { isWebhookSecret } from './sign-webhook.ts'

export const receiverTypes = ['webhook', 'slack', 'discord', 'teams', 'pagerduty'] as const
export type ReceiverType = (typeof receiverTypes)[number]

/** A destination of alerts. */
export interface AlertReceiver {
  readonly name: string
  readonly type: ReceiverType
  /** An http or https address. The part after the host is often a secret. */
  readonly url: string
  /** The headers of each POST, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The signing secret of a webhook: `whsec_` followed by base64. Undefined if POSTs are not signed. */
  readonly secret: string | undefined
  /** The integration key that identifies the service at PagerDuty. */
  readonly routingKey: string | undefined
  /** Whether the address may point to this machine or a private network. */
  readonly allowPrivate: boolean
  /** Undefined for all kinds. */
  readonly kinds: readonly AlertKind[] | undefined
  /** The minimum severity of alerts for this receiver. */
  readonly minSeverity: Severity
  /** Names of channels, or patterns with stars. They filter alerts about a channel. Undefined for all. */
  readonly channels: readonly string[] | undefined
  /** Whether the receiver is notified when an alert ends. */
  readonly getsResolved: boolean
}

const addressError = withFormat(
  'must be an http or https address without user, password and fragment',
  'web_address',
)

/** Headers that the sender sets itself, for the connection, the body or the signature. */
const ownHeaders: ReadonlySet<string> = new Set([
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'te',
  'trailer',
  'host',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
])

export const webhookAddressSchema = z
  .string({ error: addressError })
  .refine(isWebAddress, { error: addressError })
  .meta({ writeOnly: true })
  .transform((address) => new URL(address).href)

export const webhookHeadersSchema = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, {
        error: withFormat('is not the name of a header', 'header_name'),
      })
      .refine((name) => !ownHeaders.has(name.toLowerCase()), {
        error: withFact('is set by Headgate itself', { code: 'set_by_gateway', values: {} }),
      }),
    z
      .string({ error: 'must be a text; put it in quotes' })
      .regex(/^[\x20-\x7e]*$/, {
        error: withFormat('must be printable characters on one line', 'header_value'),
      })
      .meta({ writeOnly: true }),
    { error: 'must be a map of header names to values' },
  )
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  )

export const webhookSecretSchema = z
  .string({ error: 'must be a text; put it in quotes' })
  .refine(isWebhookSecret, {
    error: withFormat(
      'must be "whsec_" and the base64 of 24 to 64 random bytes, such as: echo "whsec_$(openssl rand -base64 32)"',
      'webhook_secret',
    ),
  })
  .meta({ writeOnly: true })

export const allowPrivateSchema = z.boolean({ error: 'must be true or false' })

const nameError = withFormat(
  'must be a name of letters, digits, ".", "_" and "-", 64 at most',
  'name_of_word_characters',
)
const patternsError = 'must be a list of names, such as ["primary", "azure-*"]'
const kindError = `must be one of ${alertKinds.join(', ')}`
const kindsError = 'must be a list of kinds, such as [budget, disk]'

const common = {
  name: z.string({ error: nameError }).regex(/^[\w.-]{1,64}$/, { error: nameError }),
  allow_private: allowPrivateSchema.optional(),
  kinds: z
    .array(z.enum(alertKinds, { error: kindError }), { error: kindsError })
    .min(1, { error: kindsError })
    .optional(),
  severity: z.enum(severities, { error: `must be one of ${severities.join(', ')}` }).optional(),
  channels: z
    .array(z.string({ error: patternsError }).min(1, { error: patternsError }), { error: patternsError })
    .min(1, { error: patternsError })
    .optional(),
  resolved: z.boolean({ error: 'must be true or false' }).optional(),
}

/**
 * The destination of events, unless the account is in another region
 * (https://developer.pagerduty.com/docs/send-alert-event, seen in a copy, 2026-11-24).
 */
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue'

const routingKeyError = withFormat(
  'must be the integration key of an Events API v2 integration, 32 letters and digits',
  'routing_key',
)

/** An entry of `alerts.receivers`. */
export const receiverSchema = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({
        ...common,
        type: z.literal('webhook'),
        url: webhookAddressSchema,
        headers: webhookHeadersSchema.optional(),
        secret: webhookSecretSchema.optional(),
      }),
      z.strictObject({ ...common, type: z.enum(['slack', 'discord', 'teams']), url: webhookAddressSchema }),
      z.strictObject({
        ...common,
        type: z.literal('pagerduty'),
        routing_key: z
          .string({ error: routingKeyError })
          .regex(/^[A-Za-z0-9]{32}$/, { error: routingKeyError })
          .meta({ writeOnly: true }),
        url: webhookAddressSchema.optional(),
      }),
    ],
    {
      error:
        'must be a receiver with its name and type, such as { name: ops, type: slack, url: "https://hooks.slack.com/…" }',
    },
  )
  .transform(
    (input): AlertReceiver => ({
      name: input.name,
      type: input.type,
      url: input.url ?? PAGERDUTY_URL,
      headers: input.type === 'webhook' ? (input.headers ?? {}) : {},
      secret: input.type === 'webhook' ? input.secret : undefined,
      routingKey: input.type === 'pagerduty' ? input.routing_key : undefined,
      allowPrivate: input.allow_private ?? false,
      kinds: input.kinds,
      minSeverity: input.severity ?? 'info',
      channels: input.channels,
      getsResolved: input.resolved ?? true,
    }),
  )

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === ''
}
