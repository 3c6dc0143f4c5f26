import { z } from 'zod'
import { durationSchema } from '../../../src/kit/time/duration-schema.ts'
import { faultSchema } from './fault-schema.ts'
import { closingSchema } from './position-schema.ts'

/** The n-th, or from the n-th to the m-th; both ends count. */
const turnSchema = z.union([
  z.int().min(1),
  z.strictObject({ from: z.int().min(1).optional(), to: z.int().min(1).optional() }),
])
export type Turn = z.output<typeof turnSchema>

/** A part of the time since the opening. */
const periodFields = { from: durationSchema.optional(), until: durationSchema.optional() }
const chanceSchema = z.number().min(0).max(1)

/** All that is said must hold. In `path` and `model` a `*` stands for anything. */
const conditionSchema = z.strictObject({
  path: z.string().optional(),
  model: z.string().optional(),
  /** The secret as the caller sent it, without `Bearer`. */
  credential: z.string().optional(),
  stream: z.boolean().optional(),
  /** Of all requests to this upstream, counted from 1. */
  attempt: turnSchema.optional(),
  /** Of the requests with the same credential. */
  credential_attempt: turnSchema.optional(),
  /** Every n-th request. */
  every: z.int().min(1).optional(),
  chance: chanceSchema.optional(),
  ...periodFields,
})
export type Condition = z.output<typeof conditionSchema>

export const connectionConditionSchema = z.strictObject({
  /** Of all connections to this upstream, counted from 1. */
  connection: turnSchema.optional(),
  chance: chanceSchema.optional(),
  ...periodFields,
})
export type ConnectionCondition = z.output<typeof connectionConditionSchema>

export const connectionFaultSchema = z.strictObject({
  /** Accepted by the system, and then left alone for so long. */
  delay: durationSchema.optional(),
  never_read: z.boolean().optional(),
  /** Ended at once. */
  close: closingSchema.optional(),
  /** Sent before any request was read. */
  greeting: z.string().optional(),
  /** What becomes of the TLS handshake; a duration is waited for before it. */
  handshake: z.union([z.enum(['never', 'garbage', 'reset', 'close']), durationSchema]).optional(),
  /** Closed when it has been idle for so long after an answer. */
  idle_close: durationSchema.optional(),
})
export type ConnectionFault = z.output<typeof connectionFaultSchema>

const tlsSchema = z.strictObject({
  certificate: z.enum(['good', 'expired', 'not-yet-valid', 'wrong-host', 'self-signed']).default('good'),
  /** The only version that is spoken. */
  version: z.enum(['1.0', '1.1', '1.2', '1.3']).optional(),
})
export type TlsScript = z.output<typeof tlsSchema>

const answerSchema = z.strictObject({
  words: z.int().min(0).max(1_000_000).default(20),
  /** Between two words of a stream. */
  pace: durationSchema.optional(),
  /** The words are `voice-1`, `voice-2` and so on, so that it shows whose they are. */
  voice: z
    .string()
    .regex(/^[a-z]+$/, { error: 'must be small letters' })
    .default('word'),
  /** Whether offered tools are called: only where the request insists, always, or never. */
  tools: z.enum(['required', 'offered', 'never']).default('required'),
  models: z.array(z.string()).default(['fault-model']),
})
export type AnswerScript = z.output<typeof answerSchema>

/**
 * What a fault upstream does. Rules are looked at in order; the first whose conditions hold says what goes wrong, and
 * where none does the request is answered well.
 */
export const upstreamScriptSchema = z.strictObject({
  answer: answerSchema.prefault({}),
  tls: tlsSchema.optional(),
  /** Times in which nothing listens, counted from the opening. */
  refuse: z
    .array(z.strictObject({ from: durationSchema.optional(), for: durationSchema.optional() }))
    .default([]),
  connections: z
    .array(z.strictObject({ when: connectionConditionSchema.default({}), do: connectionFaultSchema }))
    .default([]),
  rules: z.array(z.strictObject({ when: conditionSchema.default({}), do: faultSchema })).default([]),
})
export type UpstreamScript = z.output<typeof upstreamScriptSchema>
/** A script as it is written. */
export type UpstreamScriptInput = z.input<typeof upstreamScriptSchema>
