import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { DATABASE_NOW } from './ledger/epochs.ts'
import type { PostgresQueries } from './open-postgres.ts'

export interface BackgroundWorkOptions {
  readonly database: PostgresQueries
  readonly epoch: () => Epoch
  readonly clock: Pick<Clock, 'monotonicMs' | 'startTimer'>
}

const VALID_MS = 10_000
const RENEW_EVERY_MS = 2_000

/**
 * The lease of the node that does background work which only one node must do, such as retention. The holder renews
 * the lease every 2 s. If the holder dies, another node has the lease within 12 s; if it stops in an orderly way,
 * within 2 s.
 */
export class BackgroundWork {
  readonly #options: BackgroundWorkOptions
  #validUntilMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopped = false
  /** Whether the last answer said that this node has the lease. */
  #wasMine = false
  /** Whether the last renewal failed. */
  #isAway = false

  constructor(options: BackgroundWorkOptions) {
    this.#options = options
  }

  /** Whether this node has the lease now. */
  readonly isMine = (): boolean => this.#options.clock.monotonicMs() < this.#validUntilMs

  /**
   * Whether this node may continue background work: it has the lease, or it had the lease before the database became
   * unreachable. In the second case no other node can have acquired the lease, except during a network partition.
   */
  readonly mayGoOn = (): boolean => this.isMine() || (this.#wasMine && this.#isAway)

  async start(): Promise<void> {
    // The error is ignored, since the next renewal tries again.
    await this.renew().catch(() => undefined)
    this.#schedule()
  }

  /**
   * Acquires the lease where it is free, and renews it where this node has it. A node without a live epoch does not get
   * it: nodes that have not joined again all have the same epoch.
   */
  async renew(): Promise<void> {
    const { database, epoch, clock } = this.#options
    const sentAtMs = clock.monotonicMs()
    const { count } = await database
      .query(
        `insert into background_work as work (epoch, until_ms)
       select epoch, ${DATABASE_NOW} + $2 from nodes where epoch = $1 and ended_at_ms is null
       on conflict (id) do update set epoch = excluded.epoch, until_ms = excluded.until_ms
         where work.epoch = excluded.epoch or work.until_ms < ${DATABASE_NOW}`,
        [epoch(), VALID_MS],
      )
      .catch((error: unknown) => {
        this.#isAway = true
        throw error
      })
    this.#isAway = false
    this.#wasMine = count === 1
    this.#validUntilMs = count === 1 ? sentAtMs + VALID_MS : Number.NEGATIVE_INFINITY
  }

  /** Releases the lease, so that another node can acquire it at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#working
    this.#validUntilMs = Number.NEGATIVE_INFINITY
    const { database, epoch } = this.#options
    // A lease that cannot be released expires by itself.
    await database.query('delete from background_work where epoch = $1', [epoch()]).catch(() => undefined)
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(RENEW_EVERY_MS, () => {
      // A database that does not answer is tried again.
      this.#working = this.renew().catch(() => undefined)
      void this.#working.then(() => this.#schedule())
    })
  }
}
