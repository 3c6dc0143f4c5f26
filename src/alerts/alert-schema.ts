import { z } from 'zod'
import { withFact } from '../kit/schema/input-fact.ts'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/time/time-units.ts'
import { type AlertRule, alertRuleSchema, defaultAlertRules } from './alert-rule-schema.ts'
import {
  type AlertReceiver,
  allowPrivateSchema,
  receiverSchema,
  webhookAddressSchema,
  webhookHeadersSchema,
  webhookSecretSchema,
} from './receivers/receiver-schema.ts'

/** The rules that open alerts, and the receivers of alerts. */
export interface AlertPolicy {
  /** An empty list sends alerts only to the log. */
  readonly receivers: readonly AlertReceiver[]
  /** The rules in force. A kind without a rule is off. */
  readonly rules: readonly AlertRule[]
  /** The minimum interval between two reports of the same alert. */
  readonly repeatMs: number
}

/** The name of the receiver that `alerts.webhook` defines. */
export const ONLY_WEBHOOK_NAME = 'webhook'

const NO_WEBHOOK = withFact('belongs to "webhook", which is not there', {
  code: 'needs_field',
  values: { field: 'webhook' },
})
const MAX_RECEIVERS = 20
const MAX_RULES = 50

export const defaultAlertPolicy: AlertPolicy = { receivers: [], rules: defaultAlertRules, repeatMs: HOUR_MS }

/** The section `alerts`. `webhook` and the settings next to it define one receiver of all alerts, named `webhook`. */
export const alertSchema = z
  .strictObject(
    {
      webhook: webhookAddressSchema.optional(),
      headers: webhookHeadersSchema.optional(),
      secret: webhookSecretSchema.optional(),
      allow_private: allowPrivateSchema.optional(),
      repeat: createDurationSchema({
        minMs: MINUTE_MS,
        maxMs: 30 * DAY_MS,
        range: '1m and 30d',
      }).optional(),
      receivers: z
        .array(receiverSchema, { error: 'must be a list of receivers' })
        .max(MAX_RECEIVERS, { error: `must have ${MAX_RECEIVERS} receivers at most` })
        .optional(),
      rules: z
        .array(alertRuleSchema, { error: 'must be a list of rules' })
        .max(MAX_RULES, { error: `must have ${MAX_RULES} rules at most` })
        .optional(),
    },
    { error: 'must name receivers or an address, such as { webhook: "https://hooks.example.com/…" }' },
  )
  .superRefine((input, context) => {
    const { webhook, headers, secret, allow_private } = input
    for (const [name, value] of Object.entries({ headers, secret, allow_private }))
      if (webhook === undefined && value !== undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: NO_WEBHOOK,
        })
    const receivers = (input.receivers ?? []).map(({ name }) => name)
    for (const index of findRepeats(webhook === undefined ? receivers : [...receivers, ONLY_WEBHOOK_NAME]))
      context.addIssue({
        code: 'custom',
        path: ['receivers', Math.min(index, receivers.length - 1), 'name'],
        message: 'is the name of another receiver too',
        params: { fact: 'repeated' },
      })
    for (const index of findRepeats((input.rules ?? []).map((entry, index) => nameOfRule(entry) ?? index)))
      context.addIssue({
        code: 'custom',
        path: ['rules', index, 'name'],
        message: 'is the name of another rule too; a rule without a name has that of its kind',
        params: { fact: 'repeated' },
      })
  })
  .transform(
    ({ webhook, headers = {}, secret, allow_private, repeat, receivers = [], rules = [] }): AlertPolicy => ({
      receivers: [
        ...(webhook === undefined
          ? []
          : [createOnlyWebhook({ url: webhook, headers, secret, allowPrivate: allow_private ?? false })]),
        ...receivers,
      ],
      rules: [
        ...defaultAlertRules.filter(({ kind }) => rules.every(({ rule }) => rule.kind !== kind)),
        ...rules.filter(({ isOff }) => !isOff).map(({ rule }) => rule),
      ],
      repeatMs: repeat ?? defaultAlertPolicy.repeatMs,
    }),
  )

function createOnlyWebhook(
  given: Pick<AlertReceiver, 'url' | 'headers' | 'secret' | 'allowPrivate'>,
): AlertReceiver {
  return {
    ...given,
    name: ONLY_WEBHOOK_NAME,
    type: 'webhook',
    routingKey: undefined,
    kinds: undefined,
    minSeverity: 'info',
    channels: undefined,
    getsResolved: true,
  }
}

/** Undefined for an invalid entry, which has no rule yet at this point. */
function nameOfRule(entry: { readonly rule?: AlertRule | undefined }): string | undefined {
  return entry.rule?.name
}

function findRepeats(names: readonly (string | number)[]): readonly number[] {
  return names.flatMap((name, index) => (names.indexOf(name) < index ? [index] : []))
}
