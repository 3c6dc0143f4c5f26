import { z } from 'zod'
import { durationSchema } from '../../../src/kit/time/duration-schema.ts'
import { amountSchema, closingSchema } from './position-schema.ts'
import { connectionConditionSchema } from './script-schema.ts'

/** An event that happens once, after `after` bytes in this direction. */
const streamEventSchema = z.strictObject({
  after: amountSchema,
  /** Nothing passes for this time. */
  pause: durationSchema.optional(),
  /** Changes this many bytes from here on. */
  corrupt: z.int().min(1).optional(),
  /** Drops this many bytes from here on. */
  drop: z.int().min(1).optional(),
  /** Swaps the next two blocks of this many bytes. */
  swap: z.int().min(1).max(1_000_000).optional(),
  /** Bytes from here on are read and not passed on. */
  black_hole: z.boolean().optional(),
  /** Ends both sides of the connection; `half-close` ends only this direction. */
  cut: closingSchema.optional(),
})

export type StreamEvent = z.output<typeof streamEventSchema>

const directionSchema = z.strictObject({
  /** The wait before each piece. */
  delay: durationSchema.optional(),
  /** The pace: at most `bytes` in each period. */
  pace: z.strictObject({ bytes: z.int().min(1), every: durationSchema }).optional(),
  events: z.array(streamEventSchema).default([]),
})

export type DirectionScript = z.output<typeof directionSchema>

const proxyFaultSchema = z.strictObject({
  /** Closes after the accept; the target gets no connection. */
  close: closingSchema.optional(),
  /** Accepts, and neither reads nor relays. */
  black_hole: z.boolean().optional(),
  /** The wait before the connection to the target. */
  delay: durationSchema.optional(),
  /** The direction from the caller to the target. */
  up: directionSchema.prefault({}),
  /** The direction from the target to the caller. */
  down: directionSchema.prefault({}),
})

export type ProxyFault = z.output<typeof proxyFaultSchema>

/** The script of what a fault proxy does to the bytes that it relays. The first rule that matches applies. */
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
