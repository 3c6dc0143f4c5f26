import { createHash } from 'node:crypto'
import { z } from 'zod'
import { nanoDollarsOf } from '../canonical/money.ts'
import { passthroughMethods } from '../canonical/operations/passthrough-method.ts'
import { brand } from '../kit/brand.ts'
import { withFormat } from '../kit/schema/input-fact.ts'
import { FLAT_CALL, type PassthroughPrice, type PassthroughRule } from './passthrough.ts'
import type { PriceVersion, PriceVersionId } from './prices/price.ts'

const MAX_DOLLARS = 1_000
const MILLION = 1_000_000
const priceError = 'must be US dollars for each call, such as 0.02, or the word usage'
const pathError = withFormat(
  'must be a path below base_url, such as /vector_stores/*; * is one segment or a part of it, ** at the end the rest',
  'path_pattern',
)

/** A path of plain characters with at most one star in each segment, and optionally two stars at the end. */
const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))(?:[\w.:@~+-]+(?:\*[\w.:@~+-]*)?|\*[\w.:@~+-]*))*(?:\/\*\*)?$/

const ruleSchema = z.strictObject(
  {
    path: z
      .string({ error: pathError })
      .max(256, { error: pathError })
      .regex(PATH, { error: pathError })
      .refine((path) => path.length > 1, { error: pathError }),
    methods: z
      .array(z.enum(passthroughMethods, { error: `must be one of ${passthroughMethods.join(', ')}` }), {
        error: 'must be a list of methods, such as [GET, POST]',
      })
      .min(1, { error: 'must name a method; leave it out to allow every one' })
      .optional(),
    price: z
      .union(
        [
          z.literal('usage'),
          z
            .number()
            .nonnegative({ error: priceError })
            .max(MAX_DOLLARS, { error: `must be at most ${MAX_DOLLARS} US dollars` }),
        ],
        { error: priceError },
      )
      .optional(),
  },
  { error: 'must have a path, such as { path: /vector_stores/*, methods: [GET], price: 0 }' },
)

/** The schema of a channel's `passthrough`. */
export const passthroughRulesSchema = z
  .array(ruleSchema, { error: 'must be a list of paths, such as [{ path: /vector_stores/* }]' })
  .max(100, { error: 'must have at most 100 entries' })

type RuleInput = z.output<typeof ruleSchema>

/** Reads the rules of a channel. The channel's name becomes part of the price versions. */
export function readPassthroughRules(
  channel: string,
  inputs: readonly RuleInput[],
): readonly PassthroughRule[] {
  return inputs.map((input) => ({
    path: input.path,
    methods: input.methods,
    price: readPrice(channel, input),
  }))
}

function readPrice(channel: string, { path, price }: RuleInput): PassthroughPrice {
  if (price === undefined) return { type: 'unknown' }
  return price === 'usage' ? { type: 'usage' } : { type: 'flat', version: flatVersion(channel, path, price) }
}

const free = { input: nanoDollarsOf(0), output: nanoDollarsOf(0) }

function flatVersion(channel: string, path: string, dollars: number): PriceVersion {
  const digest = createHash('sha256')
    .update(JSON.stringify([path, dollars]))
    .digest('hex')
    .slice(0, 8)
  return {
    id: brand<PriceVersionId>(`channels/${channel}/passthrough@configuration#${digest}`),
    effectiveFromMs: 0,
    source: 'override',
    sheets: [{ tier: 'standard', aboveInputTokens: 0, rates: free }],
    toolCalls: { [FLAT_CALL]: nanoDollarsOf(dollars * MILLION) },
  }
}
