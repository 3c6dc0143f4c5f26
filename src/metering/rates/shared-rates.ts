import type { RateTerms } from '../../access/limits/rate-schema.ts'
import type { RateLimit } from '../rate-limit.ts'
import type { RateLimiter, RateRequest } from './rate-limiter.ts'

export type Rates = Pick<RateLimiter, 'acquire' | 'status' | 'running'>

/**
 * The rate limits of one of several nodes: each grants an even share, rounded up. So all together grant at most one
 * request and one token of each limit more for each node, while requests that all come to one node get its share alone.
 */
export class SharedRates implements Rates {
  readonly #limiter: Rates
  readonly #nodes: () => number
  #shares = new WeakMap<RateLimit, RateLimit>()
  #sharedBy = 1

  constructor(limiter: Rates, nodes: () => number) {
    this.#limiter = limiter
    this.#nodes = nodes
  }

  acquire(request: RateRequest): ReturnType<Rates['acquire']> {
    return this.#limiter.acquire({ ...request, limits: this.#shareAll(request.limits) })
  }

  status(limits: readonly RateLimit[]): ReturnType<Rates['status']> {
    return this.#limiter.status(this.#shareAll(limits))
  }

  running(id: RateLimit['id']): number {
    return this.#limiter.running(id)
  }

  #shareAll(limits: readonly RateLimit[]): readonly RateLimit[] {
    const nodes = Math.max(1, this.#nodes())
    if (nodes !== this.#sharedBy) this.#shares = new WeakMap()
    this.#sharedBy = nodes
    return nodes === 1 ? limits : limits.map((limit) => this.#shareOf(limit))
  }

  #shareOf(limit: RateLimit): RateLimit {
    const known = this.#shares.get(limit)
    if (known !== undefined) return known
    const share = { ...limit, terms: divide(limit.terms, this.#sharedBy) }
    this.#shares.set(limit, share)
    return share
  }
}

function divide({ waitMs, ...counts }: RateTerms, nodes: number): RateTerms {
  const part = (count: number | undefined) => (count === undefined ? undefined : Math.ceil(count / nodes))
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
