import type { RateTerms } from '../../access/limits/rate-schema.ts'
import type { RateLimit } from '../rate-limit.ts'
import type { RateLimiter, RateRequest } from './rate-limiter.ts'
import type { RateShares } from './rate-shares.ts'

export type Rates = Pick<RateLimiter, 'acquire' | 'status' | 'running'>

/**
 * The rate limits of one of several nodes. Each node grants its share of a limit, rounded up. Together, the nodes
 * exceed a limit by at most one request and one token for each additional node. The shares follow the distribution of
 * requests.
 */
export class SharedRates implements Rates {
  readonly #limiter: Rates
  readonly #shares: RateShares
  #cache = new WeakMap<RateLimit, { readonly share: number; readonly part: RateLimit }>()

  constructor(limiter: Rates, shares: RateShares) {
    this.#limiter = limiter
    this.#shares = shares
  }

  acquire(request: RateRequest): ReturnType<Rates['acquire']> {
    const turn = this.#limiter.acquire({ ...request, limits: this.#shareAll(request.limits) })
    if (turn.type === 'admitted') for (const { id } of request.limits) this.#shares.asked(id)
    else for (const { id } of request.limits) this.#shares.lacked(id)
    return turn
  }

  status(limits: readonly RateLimit[]): ReturnType<Rates['status']> {
    return this.#limiter.status(this.#shareAll(limits))
  }

  running(id: RateLimit['id']): number {
    return this.#limiter.running(id)
  }

  #shareAll(limits: readonly RateLimit[]): readonly RateLimit[] {
    return limits.map((limit) => this.#partOf(limit))
  }

  #partOf(limit: RateLimit): RateLimit {
    const share = this.#shares.shareOf(limit.id)
    if (share >= 1) return limit
    const cached = this.#cache.get(limit)
    if (cached?.share === share) return cached.part
    const part = { ...limit, terms: divide(limit.terms, share) }
    this.#cache.set(limit, { share, part })
    return part
  }
}

function divide({ waitMs, ...counts }: RateTerms, share: number): RateTerms {
  // A third of 3 must be 1, despite binary rounding errors.
  const part = (count: number | undefined) =>
    count === undefined ? undefined : Math.max(1, Math.ceil(count * share - ROUNDING))
  return {
    requestsPerMinute: part(counts.requestsPerMinute),
    tokensPerMinute: part(counts.tokensPerMinute),
    inputTokensPerMinute: part(counts.inputTokensPerMinute),
    outputTokensPerMinute: part(counts.outputTokensPerMinute),
    concurrency: part(counts.concurrency),
    burst: part(counts.burst),
    waitMs,
  }
}

/** A tolerance that is smaller than the smallest difference between two shares. */
const ROUNDING = 1e-6
