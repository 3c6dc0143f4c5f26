import { z } from 'zod'
import { durationSchema } from '../../../src/kit/time/duration-schema.ts'
import { amountSchema, closingSchema } from './position-schema.ts'
import { connectionConditionSchema } from './script-schema.ts'

/** Something that happens once, when so many bytes have gone in this direction. */
const streamEventSchema = z.strictObject({
  after: amountSchema,
  /** Nothing goes on for so long. */
  pause: durationSchema.optional(),
  /** So many bytes from here on become others. */
  corrupt: z.int().min(1).optional(),
  /** So many bytes from here on are left out. */
  drop: z.int().min(1).optional(),
  /** The two blocks of so many bytes from here on change places. */
  swap: z.int().min(1).max(1_000_000).optional(),
  /** From here on bytes are taken and never passed on. */
  black_hole: z.boolean().optional(),
  /** Both sides of the connection end; `half-close` ends this direction alone. */
  cut: closingSchema.optional(),
})
export type StreamEvent = z.output<typeof streamEventSchema>

const directionSchema = z.strictObject({
  /** Before each piece, as the pieces come in. */
  delay: durationSchema.optional(),
  /** At most so many bytes in each period; 1 byte makes a drip. */
  pace: z.strictObject({ bytes: z.int().min(1), every: durationSchema }).optional(),
  events: z.array(streamEventSchema).default([]),
})
export type DirectionScript = z.output<typeof directionSchema>

const proxyFaultSchema = z.strictObject({
  /** Ended as soon as it was accepted; the target hears nothing of it. */
  close: closingSchema.optional(),
  /** Accepted, and neither read nor passed on. */
  black_hole: z.boolean().optional(),
  /** Before the target is reached. */
  delay: durationSchema.optional(),
  /** From the caller to the target. */
  up: directionSchema.prefault({}),
  /** From the target to the caller. */
  down: directionSchema.prefault({}),
})
export type ProxyFault = z.output<typeof proxyFaultSchema>

/** What a fault proxy does to the bytes that go through it. The first rule whose conditions hold counts. */
export const proxyScriptSchema = z.strictObject({
  refuse: z
    .array(z.strictObject({ from: durationSchema.optional(), for: durationSchema.optional() }))
    .default([]),
  rules: z
    .array(z.strictObject({ when: connectionConditionSchema.default({}), do: proxyFaultSchema }))
    .default([]),
})
export type ProxyScript = z.output<typeof proxyScriptSchema>
export type ProxyScriptInput = z.input<typeof proxyScriptSchema>

export const goodDirection: DirectionScript = { events: [] }
