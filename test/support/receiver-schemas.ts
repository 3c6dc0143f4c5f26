import { z } from 'zod'
import type { ReceiverType } from '../../src/alerts/receivers/receiver-schema.ts'

// What each receiver takes, written down from its documentation and from nothing in the source.

const text = (max: number) => z.string().min(1).max(max)

/**
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks for the message, and for its blocks
 * https://docs.slack.dev/reference/block-kit/blocks/header-block and …/section-block, with
 * …/composition-objects/text-object (seen 2026-11-24): 50 blocks, a header of 150 characters, a section of 3,000,
 * ten fields of 2,000.
 */
const slackSchema = z.strictObject({
  text: text(40_000),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('header'),
          text: z.strictObject({
            type: z.literal('plain_text'),
            text: text(150),
            emoji: z.boolean().optional(),
          }),
        }),
        z.strictObject({
          type: z.literal('section'),
          text: z.strictObject({ type: z.enum(['mrkdwn', 'plain_text']), text: text(3_000) }).optional(),
          fields: z
            .array(z.strictObject({ type: z.enum(['mrkdwn', 'plain_text']), text: text(2_000) }))
            .min(1)
            .max(10)
            .optional(),
        }),
      ]),
    )
    .min(1)
    .max(50),
})

const embedSchema = z.strictObject({
  title: text(256),
  description: text(4_096),
  color: z.int().min(0).max(0xffffff),
  timestamp: z.iso.datetime(),
  fields: z
    .array(z.strictObject({ name: text(256), value: text(1_024), inline: z.boolean().optional() }))
    .max(25),
})

/**
 * https://discord.com/developers/docs/resources/webhook#execute-webhook-jsonform-params and
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits (in a copy): one of content and
 * embeds, ten embeds, and 6,000 characters in all texts of all embeds together.
 */
const discordSchema = z
  .strictObject({
    username: text(80),
    allowed_mentions: z.strictObject({ parse: z.array(z.enum(['roles', 'users', 'everyone'])) }),
    embeds: z.array(embedSchema).min(1).max(10),
  })
  .refine(({ embeds }) => {
    const texts = embeds.flatMap(({ title, description, fields }) => [
      ...[title, description],
      ...fields.flatMap(({ name, value }) => [name, value]),
    ])
    return texts.join('').length <= 6_000
  })

const textBlockSchema = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string().min(1),
  wrap: z.boolean().optional(),
  size: z.enum(['default', 'small', 'medium', 'large', 'extraLarge']).optional(),
  weight: z.enum(['default', 'lighter', 'bolder']).optional(),
  color: z.enum(['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention']).optional(),
  isSubtle: z.boolean().optional(),
})

/**
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using for the
 * message and its 28 KB, https://adaptivecards.io/explorer/AdaptiveCard.html for the card (in a copy).
 */
const teamsSchema = z
  .strictObject({
    type: z.literal('message'),
    attachments: z
      .array(
        z.strictObject({
          contentType: z.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: z.null(),
          content: z.strictObject({
            $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
            type: z.literal('AdaptiveCard'),
            version: z.enum(['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']),
            msteams: z.strictObject({ width: z.literal('Full') }).optional(),
            body: z
              .array(
                z.union([
                  textBlockSchema,
                  z.strictObject({
                    type: z.literal('FactSet'),
                    facts: z.array(z.strictObject({ title: z.string(), value: z.string() })).min(1),
                  }),
                ]),
              )
              .min(1),
          }),
        }),
      )
      .length(1),
  })
  .refine((message) => Buffer.byteLength(JSON.stringify(message)) <= 28 * 1024)

/**
 * https://developer.pagerduty.com/docs/send-alert-event (seen in a copy, 2026-11-24): a routing key of 32 characters, a
 * dedup_key of 255, a summary of 1,024, and 512 KB in all.
 */
const pagerDutySchema = z
  .strictObject({
    routing_key: z.string().length(32),
    event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
    dedup_key: text(255),
    client: z.string().optional(),
    payload: z.strictObject({
      summary: text(1_024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'warning', 'error', 'info']),
      timestamp: z.iso.datetime().optional(),
      component: z.string().optional(),
      group: z.string().optional(),
      class: z.string().optional(),
      custom_details: z.record(z.string(), z.json()).optional(),
    }),
  })
  .refine((event) => Buffer.byteLength(JSON.stringify(event)) <= 512 * 1024)

/** docs/monitoring.md, "Alerts". */
const webhookSchema = z.looseObject({
  type: z.string().regex(/^[a-z_]+(\.[a-z_]+)?$/),
  at: z.iso.datetime(),
  since: z.iso.datetime(),
  alert: z.string().regex(/^alr_/),
  kind: z.string(),
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  status: z.enum(['open', 'resolved']),
  resolution: z.string().nullable(),
  message: z.string().min(1),
  advice: z.string().nullable(),
  text: z.string().startsWith('Headgate: '),
})

export const receiverSchemas: Readonly<Record<ReceiverType, z.ZodType>> = {
  webhook: webhookSchema,
  slack: slackSchema,
  discord: discordSchema,
  teams: teamsSchema,
  pagerduty: pagerDutySchema,
}
