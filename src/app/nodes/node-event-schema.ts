import { z } from 'zod'
import { healthScopes, tripReasons } from '../../routing/health/assess-health-impact.ts'
import { healthSnapshotSchema } from '../../storage/health-store-sql.ts'
import type { BusTopic } from './process-bus.ts'

/** The schemas of the values that nodes publish. They allow for differences of other versions. */
export const nodeEventSchemas: Readonly<Record<BusTopic, z.ZodType>> = {
  health: z.looseObject({
    change: z.looseObject({
      channel: z.string(),
      scope: z.enum(healthScopes),
      credentialId: z.string().optional(),
      upstreamModel: z.string().optional(),
      to: z.enum(['healthy', 'open', 'half-open']),
      reason: z.enum(tripReasons),
      operations: z.array(z.string()).optional(),
      waitMs: z.number(),
      needsOperator: z.boolean(),
    }),
    snapshot: healthSnapshotSchema,
  }),
  'reset-health': z.string(),
  reasoning: z.looseObject({
    key: z.looseObject({ keyId: z.string(), callId: z.string(), fingerprint: z.number() }),
    cached: z.looseObject({
      account: z.string(),
      layout: z.looseObject({ pieces: z.array(z.looseObject({})), isSigned: z.boolean(), bytes: z.number() }),
    }),
  }),
  'budget-reached': z.looseObject({
    budget: z.looseObject({ id: z.string(), name: z.string() }),
    percent: z.number(),
    windowStartMs: z.number(),
  }),
  'requests-ended': z.array(z.looseObject({ attempts: z.array(z.looseObject({})), endedAtMs: z.number() })),
  'alert-changed': z.looseObject({ id: z.string() }),
  'keys-used': z.array(z.tuple([z.string(), z.number()], z.unknown())),
}
