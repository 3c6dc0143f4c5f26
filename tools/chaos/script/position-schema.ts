import { z } from 'zod'
import type { Random } from '../../../src/kit/random/random.ts'

/** A count, or a range from which the seed draws one. */
export const amountSchema = z.union([
  z.int().min(0),
  z.strictObject({ from: z.int().min(0), to: z.int().min(0) }).refine(({ from, to }) => from <= to, {
    error: '"from" must not be above "to"',
  }),
])
export type Amount = z.output<typeof amountSchema>

/**
 * A position in an answer: `request` is before any byte, `headers` after the head, `content` before the first words,
 * `terminator` before the event that ends a stream, `end` after the last byte. Or after a number of bytes of the body,
 * events or words.
 */
export const positionSchema = z.union([
  z.enum(['request', 'headers', 'content', 'terminator', 'end']),
  z.strictObject({ bytes: amountSchema }),
  z.strictObject({ events: amountSchema }),
  z.strictObject({ words: amountSchema }),
])
export type Position = z.output<typeof positionSchema>

/** The end of a connection: in both directions, by a reset, or only in our direction. */
export const closingSchema = z.enum(['fin', 'reset', 'half-close'])
export type Closing = z.output<typeof closingSchema>

export function drawAmount(amount: Amount, random: Random): number {
  if (typeof amount === 'number') return amount
  return amount.from + Math.floor(random.fraction() * (amount.to - amount.from + 1))
}
