import { z } from 'zod'
import { byteSizeSchema } from '../../kit/bytes/byte-size-schema.ts'
import { createDurationSchema } from '../../kit/time/duration-schema.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'

/** The durability of the ledger's rows, and their retention. */
export interface LedgerPolicy {
  /** `strict`: every answer waits for its rows. `batched`: only answers under an exact budget do. */
  readonly durability: 'batched' | 'strict'
  /** The time for which keys without an exact budget are served while the store cannot be written. */
  readonly serveWithoutStoreMs: number
  /** Undefined: rows are never deleted because of their age. */
  readonly keepMs: number | undefined
  /** Undefined: rows are never deleted because of their size. */
  readonly maxBytes: number | undefined
}

const MIN_BYTES = 16 * 1024 ** 2

/** The section `ledger`. */
export const ledgerSchema = z
  .strictObject({
    durability: z.enum(['batched', 'strict'], { error: 'must be batched or strict' }).optional(),
    serve_without_store: createDurationSchema({ minMs: 0, maxMs: DAY_MS, range: '0s and 1d' }).optional(),
    keep: createDurationSchema({
      minMs: DAY_MS,
      maxMs: 36_500 * DAY_MS,
      range: '1d and 36500d',
    }).optional(),
    max_bytes: byteSizeSchema
      .refine((bytes) => bytes >= MIN_BYTES, {
        error: 'must be 16MB or more; or leave it out for no limit',
      })
      .optional(),
  })
  .transform(
    (input): LedgerPolicy => ({
      durability: input.durability ?? 'batched',
      serveWithoutStoreMs: input.serve_without_store ?? 600_000,
      keepMs: input.keep,
      maxBytes: input.max_bytes,
    }),
  )

/**
 * The setting `unpriced`: whether requests for models without a price are served. Keys with a money limit are refused.
 */
export const unpricedSchema = z.enum(['serve', 'refuse'], { error: 'must be serve or refuse' })
export type UnpricedPolicy = z.output<typeof unpricedSchema>
