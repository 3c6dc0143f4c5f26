// Alerts as clients of the admin API see them.
import { z } from 'zod'
import type { AlertKind, Resolution, Severity } from '../../alerts/alert.ts'
import { noAnswers } from '../../kit/net/no-answer.ts'
import { authorFactField } from '../audit/actor-contract.ts'
import { nextAfterSchema, pageFields } from '../paging/page-fields.ts'
import { wordField } from '../query-fields.ts'

const alertKinds = [
  'channel-down',
  'credential',
  'model',
  'error-rate',
  'latency',
  'budget',
  'key-expiry',
  'certificate-expiry',
  'unpriced',
  'disk',
] as const satisfies readonly AlertKind[]
const severities = ['info', 'warning', 'critical'] as const satisfies readonly Severity[]
const resolutions = [
  'recovered',
  'reset',
  'changed',
  'no-data',
  'expired',
] as const satisfies readonly Resolution[]

const time = z.iso.datetime()
const oneOf = (words: readonly string[]) => `must be one of ${words.join(', ')}`

export const listAlertsSchema = z.strictObject({
  ...pageFields,
  state: z.enum(['open', 'resolved'], { error: oneOf(['open', 'resolved']) }).optional(),
  kind: z.enum(alertKinds, { error: oneOf(alertKinds) }).optional(),
  severity: z.enum(severities, { error: oneOf(severities) }).optional(),
  channel: wordField.optional(),
})

export const acknowledgeAlertSchema = z.strictObject({
  comment: z
    .string({ error: 'must be a text' })
    .min(1, { error: 'must not be empty' })
    .max(500, { error: 'must be 500 characters at most' })
    .optional(),
})

export const muteAlertSchema = z.strictObject({
  for: z.string({ error: 'must be a duration such as "30m", "2h" or "7d"' }).meta({
    description: 'Such as 2h; from 1m to 30d. It goes on for the next alert of the same problem.',
  }),
})

export const testAlertSchema = z.strictObject({
  receiver: z
    .string({ error: 'must be the name of a receiver' })
    .min(1, { error: 'must be the name of a receiver' }),
})

const byField = { by: z.string(), by_fact: authorFactField }

export const alertViewSchema = z.object({
  id: z.string(),
  state: z.enum(['open', 'resolved']),
  kind: z.enum(alertKinds),
  rule: z.string().meta({ description: 'The rule that found it, by its name.' }),
  severity: z.enum(severities),
  subject: z
    .record(z.string(), z.string())
    .meta({ description: 'What it is about, such as {"channel":"primary","credential":"primary#1"}.' }),
  message: z.string(),
  advice: z.string().nullable(),
  details: z.record(z.string(), z.json()).meta({ description: 'As in the body of a webhook.' }),
  opened_at: time,
  reported_at: time.meta({ description: 'When it was last reported.' }),
  resolved_at: time.nullable(),
  resolution: z.enum(resolutions).nullable().meta({ description: 'Why it is over.' }),
  acknowledged: z.object({ ...byField, at: time, comment: z.string().nullable() }).nullable(),
  muted: z.object({ ...byField, at: time, until: time }).nullable(),
})

export const alertListSchema = z.object({ data: z.array(alertViewSchema), next_after: nextAfterSchema })

const deliverySchema = z.object({
  delivered: z.boolean(),
  status: z.number().nullable().meta({ description: 'What the receiver answered; null without an answer.' }),
  reason: z.string().nullable().meta({ description: 'Why it was not delivered.' }),
  no_answer: z
    .enum(noAnswers)
    .nullable()
    .meta({ description: 'Why there was no answer; null where there was one.' }),
})

const receiverViewSchema = z.object({
  name: z.string(),
  type: z.enum(['webhook', 'slack', 'discord', 'teams', 'pagerduty']),
  address: z.string().meta({ description: 'Its origin; what follows is often a secret.' }),
  signed: z.boolean(),
  headers: z.array(z.string()).meta({ description: 'Names of its headers; the values are secrets.' }),
  kinds: z.array(z.enum(alertKinds)).nullable().meta({ description: 'Null for all.' }),
  severity: z.enum(severities).meta({ description: 'The lightest that it gets.' }),
  channels: z.array(z.string()).nullable().meta({ description: 'Null for all.' }),
  resolved: z.boolean().meta({ description: 'Whether it gets that an alert is over.' }),
  waiting: z.number().meta({ description: 'Alerts that wait to be sent.' }),
  last_delivery: deliverySchema.extend({ at: time }).nullable(),
})

const configVersion = z
  .number()
  .meta({ description: 'Of the document of this API; after a change, the one that it made.' })

export const receiverListSchema = z.object({
  data: z.array(receiverViewSchema),
  config_version: configVersion,
})

export const alertRuleViewSchema = z.object({ name: z.string(), kind: z.enum(alertKinds) }).catchall(z.json())

export const alertRulesSchema = z.object({
  owner: z
    .enum(['file', 'api', 'default'])
    .meta({ description: 'Who owns the section "alerts"; default: nobody has one.' }),
  repeat: z.string(),
  data: z.array(alertRuleViewSchema).meta({ description: 'In the words of the configuration.' }),
  written: z.array(alertRuleViewSchema).meta({
    description: 'Those that the owner has written, as they are written, with those that are off.',
  }),
  config_version: configVersion,
})

export const alertEntrySchema = z
  .record(z.string(), z.json())
  .meta({ description: 'The fields of a rule or of a receiver, as in the configuration file.' })

export const testedReceiverSchema = deliverySchema.extend({ receiver: z.string() })

export type AlertView = Readonly<z.output<typeof alertViewSchema>>
export type AlertList = Readonly<z.output<typeof alertListSchema>>
export type ListAlerts = Readonly<z.input<typeof listAlertsSchema>>
export type ReceiverView = Readonly<z.output<typeof receiverViewSchema>>
export type ReceiverList = Readonly<z.output<typeof receiverListSchema>>
export type AlertRulesView = Readonly<z.output<typeof alertRulesSchema>>
export type AlertRuleView = Readonly<z.output<typeof alertRuleViewSchema>>
export type TestedReceiver = Readonly<z.output<typeof testedReceiverSchema>>
