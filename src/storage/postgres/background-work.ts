import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { Epoch } from '../../metering/leases/meter-store.ts'
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
 * The lease of the one node that does the work that needs doing once, such as retention. Its holder renews it every
 * 2 s. After a node that died another one has it within 12 s; after one that ended, within 2 s.
 */
export class BackgroundWork {
  readonly #options: BackgroundWorkOptions
  #validUntilMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopped = false
  /** Whether the last answer said that the work is this node's. */
  #wasMine = false
  /** Whether the last renewal had no answer. */
  #isAway = false

  constructor(options: BackgroundWorkOptions) {
    this.#options = options
  }

  /** Whether this node does the work now. */
  readonly isMine = (): boolean => this.#options.clock.monotonicMs() < this.#validUntilMs

  /** Whether this node did the work, and the database is away: nobody else can have begun with it, unless parted. */
  readonly mayGoOn = (): boolean => this.isMine() || (this.#wasMine && this.#isAway)

  async start(): Promise<void> {
    // A failure is ignored, since the next renewal asks again.
    await this.renew().catch(() => undefined)
    this.#schedule()
  }

  /** Takes the lease where it is free, and renews it where it is this node's. */
  async renew(): Promise<void> {
    const { database, epoch, clock } = this.#options
    const sentAtMs = clock.monotonicMs()
    const { count } = await database
      .query(
        `insert into background_work as work (epoch, until_ms) values ($1, ${DATABASE_NOW} + $2)
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

  /** Leaves the work to another node at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#working
    this.#validUntilMs = Number.NEGATIVE_INFINITY
    const { database, epoch } = this.#options
    // A lease that cannot be given back ends by itself.
    await database.query('delete from background_work where epoch = $1', [epoch()]).catch(() => undefined)
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(RENEW_EVERY_MS, () => {
      // A database that does not answer is asked again.
      this.#working = this.renew().catch(() => undefined)
      void this.#working.then(() => this.#schedule())
    })
  }
}
