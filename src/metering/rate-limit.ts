import type { RateTerms } from '../access/limits/rate-schema.ts'
import type { Branded } from '../kit/brand.ts'

/** An ID that stays the same over restarts and changes of the limit, such as `key/key_1` or `model/gpt-4o`. */
export type RateLimitId = Branded<string, 'RateLimitId'>

/** A limit on the rate of requests and tokens. */
export interface RateLimit {
  readonly id: RateLimitId
  /** The name of the limit in errors, such as `key:ci`. */
  readonly name: string
  readonly terms: RateTerms
}
