import { z } from 'zod'
import { durationSchema } from '../../../src/kit/time/duration-schema.ts'
import { faultSchema } from './fault-schema.ts'
import { closingSchema } from './position-schema.ts'

/** The n-th, or from the n-th to the m-th, inclusive. */
const turnSchema = z.union([
  z.int().min(1),
  z.strictObject({ from: z.int().min(1).optional(), to: z.int().min(1).optional() }),
])
export type Turn = z.output<typeof turnSchema>

/** A period, from the start of the tool on. */
const periodFields = { from: durationSchema.optional(), until: durationSchema.optional() }
const chanceSchema = z.number().min(0).max(1)

/** Every condition must match. In `path` and `model`, `*` matches any characters. */
const conditionSchema = z.strictObject({
  path: z.string().optional(),
  model: z.string().optional(),
  /** The secret as the caller sent it, without `Bearer`. */
  credential: z.string().optional(),
  stream: z.boolean().optional(),
  /** The number among all requests to this upstream, from 1. */
  attempt: turnSchema.optional(),
  /** The number among the requests with the same credential. */
  credential_attempt: turnSchema.optional(),
  /** Every n-th request. */
  every: z.int().min(1).optional(),
  chance: chanceSchema.optional(),
  ...periodFields,
})

export type Condition = z.output<typeof conditionSchema>

export const connectionConditionSchema = z.strictObject({
  /** The number among all connections to this upstream, from 1. */
  connection: turnSchema.optional(),
  chance: chanceSchema.optional(),
  ...periodFields,
})

export type ConnectionCondition = z.output<typeof connectionConditionSchema>

export const connectionFaultSchema = z.strictObject({
  /** The wait after the accept, before anything else. */
  delay: durationSchema.optional(),
  never_read: z.boolean().optional(),
  /** Closes immediately. */
  close: closingSchema.optional(),
  /** Text that is sent before any request is read. */
  greeting: z.string().optional(),
  /** The fault of the TLS handshake; a duration is a wait before it. */
  handshake: z.union([z.enum(['never', 'garbage', 'reset', 'close']), durationSchema]).optional(),
  /** The idle time since an answer after which the connection is closed. */
  idle_close: durationSchema.optional(),
})

export type ConnectionFault = z.output<typeof connectionFaultSchema>

const tlsSchema = z.strictObject({
  certificate: z.enum(['good', 'expired', 'not-yet-valid', 'wrong-host', 'self-signed']).default('good'),
  /** The only version that is supported. */
  version: z.enum(['1.0', '1.1', '1.2', '1.3']).optional(),
})

export type TlsScript = z.output<typeof tlsSchema>

const answerSchema = z.strictObject({
  words: z.int().min(0).max(1_000_000).default(20),
  /** The pause between two words of a stream. */
  pace: durationSchema.optional(),
  /** The words are `voice-1`, `voice-2` and so on, so that they identify their upstream. */
  voice: z
    .string()
    .regex(/^[a-z]+$/, { error: 'must be lower-case letters' })
    .default('word'),
  /** Whether offered tools are called: only if the request requires it, always, or never. */
  tools: z.enum(['required', 'offered', 'never']).default('required'),
  models: z.array(z.string()).default(['fault-model']),
})

export type AnswerScript = z.output<typeof answerSchema>

/**
 * The script of what a fault upstream does. Rules are checked in order, and the first match sets the fault. A request
 * that no rule matches gets a complete answer.
 */
export const upstreamScriptSchema = z.strictObject({
  answer: answerSchema.prefault({}),
  tls: tlsSchema.optional(),
  /** Times in which connections are refused, from the start on. */
  refuse: z
    .array(z.strictObject({ from: durationSchema.optional(), for: durationSchema.optional() }))
    .default([]),
  connections: z
    .array(z.strictObject({ when: connectionConditionSchema.default({}), do: connectionFaultSchema }))
    .default([]),
  rules: z.array(z.strictObject({ when: conditionSchema.default({}), do: faultSchema })).default([]),
})

export type UpstreamScript = z.output<typeof upstreamScriptSchema>
/** A script before its defaults are filled in. */
export type UpstreamScriptInput = z.input<typeof upstreamScriptSchema>
