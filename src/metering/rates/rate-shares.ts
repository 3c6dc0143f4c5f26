import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { Epoch } from '../leases/epoch.ts'
import type { RateLimitId } from '../rate-limit.ts'

/** One node's use of a limit since its last report. */
export interface RateReport {
  readonly limit: RateLimitId
  /** The number of requests under the limit, including refused ones. */
  readonly asked: number
  /** Whether any requests were refused or had to wait. */
  readonly lacked: boolean
}

/** The share of a limit that a node may grant, from 0 to 1. */
export interface RateShare {
  readonly limit: RateLimitId
  readonly share: number
}

/** The store through which nodes share rate limits. Fails with `store_unavailable`. */
export interface RateShareStore {
  /**
   * Reports the use of limits. Returns the shares of all limits for which nodes compete. A limit that is not returned
   * is shared evenly. The shares of live nodes never add up to more than 1: a node gets only the share that others have
   * given up.
   */
  report(epoch: Epoch, reports: readonly RateReport[]): Promise<readonly RateShare[]>
}

export interface RateSharesOptions {
  readonly store: RateShareStore
  readonly clock: Pick<Clock, 'monotonicMs' | 'startTimer'>
  readonly epoch: () => Epoch
  /** The number of live nodes, including this one. */
  readonly nodes: () => number
}

const REPORT_EVERY_MS = 1_000
/** The time after which shares that could not be renewed are capped at the even share. */
const VALID_MS = 10_000
/** A share this many times the even one is too large to be a chance variation of even use. */
const UNEVEN = 1.2

interface Use {
  asked: number
  lacked: boolean
}

/**
 * The shares of rate limits that this node grants. While no node reaches its share of a limit, nodes share the limit
 * evenly and report no use of it. When a node does not have enough, the shares follow the requests of the last seconds.
 * A node calls the store every second as long as there are others, since only the store says what the others lack.
 */
export class RateShares {
  readonly #options: RateSharesOptions
  #uses = new Map<RateLimitId, Use>()
  #shares: ReadonlyMap<RateLimitId, number> = new Map()
  #validUntilMs = 0
  #timer: Timer | undefined
  #reporting: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: RateSharesOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(REPORT_EVERY_MS, () => {
      // Shares that cannot be renewed expire.
      this.#reporting = this.report().catch(() => undefined)
      void this.#reporting.then(() => this.start())
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#reporting
  }

  shareOf(limit: RateLimitId): number {
    const even = 1 / Math.max(1, this.#options.nodes())
    const share = this.#shares.get(limit)
    if (share === undefined) return even
    return this.#options.clock.monotonicMs() < this.#validUntilMs ? share : Math.min(share, even)
  }

  /** Called for every request that was admitted. */
  asked(limit: RateLimitId): void {
    this.#useOf(limit).asked += 1
  }

  /** Called for every request that was refused or had to wait. */
  lacked(limit: RateLimitId): void {
    const use = this.#useOf(limit)
    use.asked += 1
    use.lacked = true
  }

  /** Reports the use since the last report, and applies the shares that the store returns. */
  async report(): Promise<void> {
    const { store, clock, epoch, nodes } = this.#options
    const uses = this.#uses
    this.#uses = new Map()
    if (nodes() <= 1) {
      this.#shares = new Map()
      return
    }
    const even = 1 / nodes()
    const reports = [...uses].flatMap(([limit, { asked, lacked }]) => {
      const share = this.#shares.get(limit)
      if (share === undefined) return lacked ? [{ limit, asked, lacked }] : []
      // A share that is larger than the even one is reported as needed while it is used.
      return [{ limit, asked, lacked: lacked || share > even * UNEVEN }]
    })
    const sentAtMs = clock.monotonicMs()
    const shares = await store.report(epoch(), reports).catch((error: unknown) => {
      // The next report includes them. Otherwise this node would lose its share to nodes whose requests were reported.
      this.#addUses(uses)
      throw error
    })
    this.#shares = new Map(shares.map(({ limit, share }) => [limit, share]))
    this.#validUntilMs = sentAtMs + VALID_MS
  }

  #addUses(uses: ReadonlyMap<RateLimitId, Use>): void {
    for (const [limit, { asked, lacked }] of uses) {
      const use = this.#useOf(limit)
      use.asked += asked
      use.lacked ||= lacked
    }
  }

  #useOf(limit: RateLimitId): Use {
    let use = this.#uses.get(limit)
    if (use === undefined) {
      use = { asked: 0, lacked: false }
      this.#uses.set(limit, use)
    }
    return use
  }
}
