import { z } from 'zod'
import { byteSizeSchema } from '../../../src/kit/bytes/byte-size-schema.ts'
import { durationSchema } from '../../../src/kit/time/duration-schema.ts'
import { errorNames, errorShapes } from './error-words.ts'
import { amountSchema, closingSchema, positionSchema } from './position-schema.ts'

const headerValueSchema = z.union([z.string(), z.array(z.string())])

/** Replaces parts of the good answer. Without `error` and `body`, its body stays. */
const replySchema = z.strictObject({
  status: z.int().min(100).max(999).optional(),
  /** A known error in the shape of the caller's format, with its usual status. */
  error: z.enum(errorNames).optional(),
  shape: z.enum(errorShapes).optional(),
  /** Verbatim text, or JSON. */
  body: z.json().optional(),
  content_type: z.string().optional(),
  headers: z.record(z.string(), headerValueSchema).optional(),
  retry_after: z
    .union([
      z.strictObject({ seconds: z.number() }),
      z.strictObject({ ms: z.number() }),
      z.strictObject({ date_in: durationSchema }),
      z.strictObject({ text: z.string() }),
    ])
    .optional(),
})

const delaySchema = z.strictObject({
  head: durationSchema.optional(),
  body: durationSchema.optional(),
  content: durationSchema.optional(),
  between: durationSchema.optional(),
  end: durationSchema.optional(),
})

/** Silence from a position on: for a time, or until the caller disconnects. Heartbeats can be sent meanwhile. */
const stallSchema = z.strictObject({
  after: positionSchema,
  for: durationSchema.optional(),
  heartbeat: z.strictObject({ every: durationSchema, text: z.string().optional() }).optional(),
})

const partKindSchema = z.enum(['start', 'content', 'finish', 'usage', 'terminator'])

const insertSchema = z.strictObject({
  insert: z.enum([
    'invalid-json',
    'truncated-json',
    'invalid-utf8',
    'comment',
    'ping',
    'unknown-event',
    'field-lines',
    'empty-delta',
    'empty-choices',
    'error',
    'oversized',
    'start',
    'content',
    'late-delta',
    'wrong-index',
    'raw',
  ]),
  after: positionSchema,
  times: z.int().min(1).max(100_000).optional(),
  /** The kind of an `error`. */
  error: z.enum(errorNames).optional(),
  shape: z.enum(errorShapes).optional(),
  /** The size of `oversized`. */
  bytes: byteSizeSchema.optional(),
  /** The bytes of `raw` themselves. */
  text: z.string().optional(),
  /** The answer ends with it. */
  last: z.boolean().optional(),
})

export type Insertion = z.output<typeof insertSchema>

/** A change of the events of an answer. In a whole answer an insertion goes between two pieces of the body. */
const eventEditSchema = z.union([
  insertSchema,
  z.strictObject({ drop: partKindSchema }),
  z.strictObject({ repeat: partKindSchema, times: z.int().min(1).max(100_000).optional() }),
  /** Swaps the events before and after the position. */
  z.strictObject({ swap: positionSchema }),
])
export type EventEdit = z.output<typeof eventEditSchema>

const usageLies = ['missing', 'zero', 'huge', 'negative', 'fraction', 'text', 'null'] as const

const textSchema = z.strictObject({
  line_ends: z.enum(['lf', 'crlf', 'cr', 'mixed']).optional(),
  byte_order_mark: z.boolean().optional(),
  /** The last event ends without its blank line where this is false. */
  last_blank_line: z.boolean().optional(),
  /** Words outside ASCII, so that writes of single bytes split characters. */
  wide_characters: z.boolean().optional(),
})

const framingSchema = z.strictObject({
  /** The header beside the real length: exact, less, more, sent twice, or not a length at all. */
  content_length: z
    .enum(['exact', 'short', 'long', 'twice', 'conflicting', 'negative', 'text', 'with-chunked'])
    .optional(),
  chunked: z
    .enum(['good', 'bad-size', 'huge-size', 'bad-end', 'no-last', 'trailers', 'extensions'])
    .optional(),
  /** Chunks before this position are valid. */
  chunked_after: positionSchema.optional(),
  /** The body has no length: it ends when the connection closes, as in HTTP/1.0. */
  until_close: z.boolean().optional(),
  informational: z
    .strictObject({ status: z.int().min(100).max(199), times: z.int().min(1).max(100_000) })
    .optional(),
  header_flood: z
    .strictObject({ count: z.int().min(1).max(100_000), bytes: z.int().min(1).max(1_000_000) })
    .optional(),
  /** Replaces `HTTP/1.1 200 OK`. */
  status_line: z.string().optional(),
  /** Bytes that are sent right after the answer, where the next one would start. */
  extra: z.string().optional(),
})

/** The faults of one answer. */
export const faultSchema = z.strictObject({
  /** The answer does not wait for the body of the request. */
  early: z.boolean().optional(),
  reply: replySchema.optional(),
  delay: delaySchema.optional(),
  stall: stallSchema.optional(),
  /** `bytes` per write, with a pause before each. */
  drip: z
    .strictObject({
      bytes: z.int().min(1).default(1),
      every: durationSchema.optional(),
      after: positionSchema.optional(),
    })
    .optional(),
  /** All events in as few writes as possible, at once. */
  burst: z.boolean().optional(),
  cut: z.strictObject({ after: positionSchema, by: closingSchema.default('fin') }).optional(),
  /** The content repeats until the caller disconnects, with this pause between repeats. */
  endless: z.strictObject({ every: durationSchema }).optional(),
  corrupt: z.strictObject({ after: positionSchema, bytes: amountSchema.default(1) }).optional(),
  events: z.array(eventEditSchema).optional(),
  usage: z.enum(usageLies).optional(),
  text: textSchema.optional(),
  encode: z
    .strictObject({
      by: z.enum(['gzip', 'deflate', 'br']),
      /** This many spaces precede the body. */
      bomb: byteSizeSchema.optional(),
      /** The `content-encoding` header is left out where this is false. */
      declared: z.boolean().optional(),
    })
    .optional(),
  framing: framingSchema.optional(),
  /**
   * The connection after a complete answer: closed with a header, closed without one, or closed as the next request
   * arrives.
   */
  connection: z.enum(['keep', 'close', 'close-silently', 'close-on-next', 'reset-on-next']).optional(),
})

export type Fault = z.output<typeof faultSchema>
/** A fault as a script has it. */
export type FaultInput = z.input<typeof faultSchema>
export type FaultReply = NonNullable<Fault['reply']>
export type Framing = NonNullable<Fault['framing']>
export type UsageLie = NonNullable<Fault['usage']>
export type BodyEncoding = NonNullable<Fault['encode']>
export type TextForm = NonNullable<Fault['text']>
