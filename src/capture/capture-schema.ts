import { z } from 'zod'
import { byteSizeSchema } from '../kit/bytes/byte-size-schema.ts'
import { withFact, withFormat } from '../kit/schema/input-fact.ts'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { DAY_MS, HOUR_MS } from '../kit/time/time-units.ts'

/** The parts of a request that are captured. */
const captureModes = ['off', 'prompts', 'answers', 'both'] as const
export type CaptureMode = (typeof captureModes)[number]

/** The callers whose prompts and answers are stored for reading, and the limits of that storage. */
export interface CapturePolicy {
  /** The mode of every caller that has no entry of its own. */
  readonly bodies: CaptureMode
  /** The modes of keys by name. The mode of a key takes precedence over that of its group. */
  readonly keys: ReadonlyMap<string, CaptureMode>
  readonly groups: ReadonlyMap<string, CaptureMode>
  /** The maximum number of bytes stored of a prompt, and of an answer. */
  readonly maxBodyBytes: number
  readonly keepMs: number
  /** The maximum number of bytes of all captures on the disk. */
  readonly maxBytes: number
  /** Regular expressions. Text that they match is not stored. */
  readonly redact: readonly string[]
}

const modeError = 'must be off, prompts, answers or both'

/** YAML 1.1 readers parse `off` as false. */
const modeSchema = z
  .union([z.enum(captureModes), z.literal(false)], { error: modeError })
  .transform((mode): CaptureMode => (mode === false ? 'off' : mode))

const MAX_PATTERNS = 50
const MAX_PATTERN_CHARACTERS = 500
const patternError = withFormat(
  'must be a regular expression of JavaScript of 500 characters at most, such as "\\b\\d{16}\\b"',
  'regular_expression',
)

const patternSchema = z
  .string({ error: patternError })
  .min(1, { error: patternError })
  .max(MAX_PATTERN_CHARACTERS, { error: patternError })
  .refine(isPattern, { error: patternError })
  .refine((pattern) => !isPattern(pattern) || !matchesNothing(pattern), {
    error: withFact('must not match an empty text', { code: 'matches_empty_text', values: {} }),
  })

function sizeBetween(min: number, max: number, range: string) {
  const [minimum = '', maximum = ''] = range.split(' and ')
  const error = withFact(`must be between ${range}`, { code: 'out_of_range', values: { minimum, maximum } })
  return byteSizeSchema.refine((bytes) => bytes >= min && bytes <= max, { error })
}

const namesError = 'must be a map of names, such as { ci: both }'
const modesSchema = z.record(z.string().min(1), modeSchema, { error: namesError })

export const defaultCapturePolicy: CapturePolicy = {
  bodies: 'off',
  keys: new Map(),
  groups: new Map(),
  maxBodyBytes: 256 * 1024,
  keepMs: 7 * DAY_MS,
  maxBytes: 1024 ** 3,
  redact: [],
}

/** The section `capture`. */
export const captureSchema = z
  .strictObject(
    {
      bodies: modeSchema.optional(),
      keys: modesSchema.optional(),
      groups: modesSchema.optional(),
      max_body: sizeBetween(1_024, 16 * 1024 ** 2, '1KB and 16MB').optional(),
      keep: createDurationSchema({ minMs: HOUR_MS, maxMs: 3_650 * DAY_MS, range: '1h and 3650d' }).optional(),
      max_bytes: sizeBetween(1024 ** 2, 1024 ** 4, '1MB and 1024GB').optional(),
      redact: z
        .array(patternSchema, { error: 'must be a list of regular expressions' })
        .max(MAX_PATTERNS, { error: `must have ${MAX_PATTERNS} patterns at most` })
        .optional(),
    },
    { error: 'must say what is captured, such as { bodies: off } or { keys: { ci: both } }' },
  )
  .transform(
    (input): CapturePolicy => ({
      bodies: input.bodies ?? defaultCapturePolicy.bodies,
      keys: new Map(Object.entries(input.keys ?? {})),
      groups: new Map(Object.entries(input.groups ?? {})),
      maxBodyBytes: input.max_body ?? defaultCapturePolicy.maxBodyBytes,
      keepMs: input.keep ?? defaultCapturePolicy.keepMs,
      maxBytes: input.max_bytes ?? defaultCapturePolicy.maxBytes,
      redact: input.redact ?? [],
    }),
  )

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'gu') instanceof RegExp
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function matchesNothing(pattern: string): boolean {
  return new RegExp(pattern, 'u').test('')
}
