import { innerReasonOf } from '../../canonical/failure.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import type { LedgerPolicy } from './ledger-schema.ts'

/** The rules by which rows of the ledger may be deleted. Sums of usage and of budgets are never deleted. */
export interface LedgerRetention {
  readonly nowMs: number
  /** Undefined: rows are never deleted because of their age. */
  readonly keepMs: number | undefined
  /** Undefined: rows are never deleted because of their size. */
  readonly maxBytes: number | undefined
}

/** A ledger with work that can be done in the background. */
export interface MaintainedLedger {
  /** Does a short step of this work. Returns whether there is more. Fails with `store_unavailable`. */
  maintain(retention: LedgerRetention): Promise<{ readonly hasMore: boolean }>
}

export interface MaintenanceOptions {
  readonly store: MaintainedLedger
  readonly clock: Clock
  readonly policy: Pick<LedgerPolicy, 'keepMs' | 'maxBytes'>
  readonly warn: (message: string) => void
}

const INTERVAL_MS = MINUTE_MS
/** The pause between two steps, in which rows can be written. */
const STEP_PAUSE_MS = 20
const WARN_EVERY_MS = HOUR_MS

/** Keeps the ledger small and its reports fast, with periodic work in small steps. Ends with `stop`. */
export class LedgerMaintenance {
  readonly #options: MaintenanceOptions
  #policy: MaintenanceOptions['policy']
  #timer: Timer | undefined
  #isStopped = false
  #warnedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: MaintenanceOptions) {
    this.#options = options
    this.#policy = options.policy
    this.#wait(INTERVAL_MS)
  }

  change(policy: MaintenanceOptions['policy']): void {
    this.#policy = policy
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  #wait(delayMs: number): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(delayMs, () => void this.#step())
  }

  async #step(): Promise<void> {
    const { store, clock } = this.#options
    const { keepMs, maxBytes } = this.#policy
    let hasMore = false
    try {
      hasMore = (await store.maintain({ nowMs: clock.nowMs(), keepMs, maxBytes })).hasMore
    } catch (error) {
      this.#warn(`the ledger cannot be tidied up: ${innerReasonOf(error)}`)
    }
    this.#wait(hasMore ? STEP_PAUSE_MS : INTERVAL_MS)
  }

  #warn(message: string): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (this.#isStopped || nowMs - this.#warnedAtMs < WARN_EVERY_MS) return
    this.#warnedAtMs = nowMs
    this.#options.warn(message)
  }
}
