import { z } from 'zod'
import { groupsSchema, usersSchema } from '../access/group-schema.ts'
import { addressRangeSchema, keySchema } from '../access/key-schema.ts'
import { rateSchema } from '../access/limits/rate-schema.ts'
import { signInSectionSchema } from '../access/sign-on/sign-in-schema.ts'
import { alertSchema } from '../alerts/alert-schema.ts'
import { captureSchema } from '../capture/capture-schema.ts'
import { channelSchema } from '../catalog/channel-schema.ts'
import { mediaSchema } from '../catalog/media-schema.ts'
import { modelSchema } from '../catalog/model-schema.ts'
import { publicNameSchema } from '../catalog/public-name-schema.ts'
import { listenAddressSchema } from '../kit/net/listen-address-schema.ts'
import { offSchema } from '../kit/schema/off-schema.ts'
import { durationSchema } from '../kit/time/duration-schema.ts'
import { installationBudgetsSchema } from '../metering/budgets/installation-budget-schema.ts'
import { ledgerSchema, unpricedSchema } from '../metering/ledger/ledger-schema.ts'
import { requestLogSchema } from '../request-log/request-log-schema.ts'
import { queueSchema } from '../routing/queue/queue-schema.ts'
import { recoverySchema } from '../routing/recovery-schema.ts'
import { retrySchema } from '../routing/retry-schema.ts'
import { idempotencySchema } from '../stored-answers/idempotency-schema.ts'
import { storedResponsesSchema } from '../stored-answers/stored-responses-schema.ts'
import type { LogLevel } from '../telemetry/request-log.ts'
import { databaseSchema, databaseUrlSchema } from './database-schema.ts'
import { limitsSchema } from './limits-schema.ts'
import { warmUpSchema } from './warm-up-schema.ts'
import { webSocketSchema } from './websocket-schema.ts'
import { workersSchema } from './workers-schema.ts'

const hostNameSchema = z
  .string({ error: 'must be a host name' })
  .regex(/^(?:[\w.-]+|[\da-fA-F:]*:[\da-fA-F:.]*)$/, {
    error: 'must be a host name or an address, without a scheme and a port',
  })

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly LogLevel[]

/** The configuration file, section by section. Each section's schema is in the folder of its subject. */
export const configSchema = z.strictObject({
  listen: listenAddressSchema.optional(),
  data: z
    .string({ error: 'must be the path of a folder' })
    .min(1, { error: 'must be the path of a folder' })
    .optional(),
  workers: workersSchema.optional(),
  warm_up: warmUpSchema.optional(),
  database_url: databaseUrlSchema.optional(),
  database: databaseSchema.optional(),
  admin: z
    .union(
      [
        offSchema,
        z.strictObject({
          listen: listenAddressSchema.optional(),
          allow_private: z.boolean({ error: 'must be true or false' }).optional(),
          hosts: z
            .array(hostNameSchema, { error: 'must be a list of host names, such as ["gateway.internal"]' })
            .optional(),
          metrics: z.literal('token', { error: 'must be "token", or be left out' }).optional(),
        }),
      ],
      {
        error: 'must be off, or have a listen address, such as { listen: "127.0.0.1:8081" }',
      },
    )
    .optional(),
  public_url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  trusted_proxies: z.array(addressRangeSchema, { error: 'must be a list of addresses or ranges' }).optional(),
  tls: z
    .strictObject(
      {
        cert: z
          .string({ error: 'must be the path of a file' })
          .min(1, { error: 'must be the path of a file' }),
        key: z
          .string({ error: 'must be the path of a file' })
          .min(1, { error: 'must be the path of a file' }),
      },
      { error: 'must name two files, such as { cert: server.crt, key: server.key }' },
    )
    .optional(),
  limits: limitsSchema.optional(),
  heartbeat: z
    .union(
      [offSchema, z.strictObject({ after: durationSchema.optional(), every: durationSchema.optional() })],
      {
        error: 'must be off, or have durations, such as { after: 10s, every: 10s }',
      },
    )
    .optional(),
  drain: durationSchema.optional(),
  keys: z.array(keySchema, { error: 'must be a list of keys' }).optional(),
  channels: z.array(channelSchema, { error: 'must be a list of channels' }).optional(),
  models: z
    .record(publicNameSchema, modelSchema.extend({ rate: rateSchema.optional() }), {
      error: 'must be a map of public names',
    })
    .optional(),
  groups: groupsSchema.optional(),
  users: usersSchema.optional(),
  budgets: installationBudgetsSchema.optional(),
  rate: rateSchema.optional(),
  ledger: ledgerSchema.optional(),
  unpriced: unpricedSchema.optional(),
  idempotency: idempotencySchema.optional(),
  media: mediaSchema.optional(),
  retry: retrySchema.optional(),
  request_log: requestLogSchema.optional(),
  alerts: alertSchema.optional(),
  capture: captureSchema.optional(),
  sign_in: signInSectionSchema.optional(),
  queue: queueSchema.optional(),
  recovery: recoverySchema.optional(),
  stored_responses: storedResponsesSchema.optional(),
  websocket: webSocketSchema.optional(),
  log: z
    .strictObject({
      level: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).optional(),
    })
    .optional(),
})

export type ConfigInput = z.output<typeof configSchema>
