import { GatewayError, innerReasonOf } from '../../canonical/failure.ts'
import type { LedgerRowId } from '../../kit/random/ids.ts'
import { type Clock, nextTurn, type Timer } from '../../kit/time/clock.ts'
import { EpochEndedError } from '../leases/epoch-ended-error.ts'
import type { LedgerIntent, LedgerRow } from '../ledger-row.ts'
import type { LedgerBatch, LedgerStore } from '../ledger-store.ts'
import { CommitPace } from './commit-pace.ts'
import { ExpiryTimer } from './expiry-timer.ts'
import { LedgerBacklog } from './ledger-backlog.ts'
import { LedgerHealth, type LedgerReports } from './ledger-health.ts'
import type { LedgerPolicy } from './ledger-schema.ts'
import type { FollowedAnswer } from './live-answers.ts'

export interface LedgerQueueOptions {
  readonly store: Pick<LedgerStore, 'commit'>
  readonly clock: Clock
  /** `strict`: each row is written at once, and the caller waits for it. */
  readonly durability: LedgerPolicy['durability']
  readonly reports: LedgerReports
}

/**
 * The maximum time that a row waits for others. The rest of the 100 ms that `durability: batched` promises is for the
 * commit.
 */
const FLUSH_AFTER_MS = 50
const CHECKPOINT_EVERY_MS = 1_000
/** The store is considered unavailable if a commit takes longer. */
const AWAY_AFTER_MS = 1_000
/** The maximum time of two commits: the one in progress and the next one. */
const INTENT_WITHIN_MS = 2 * AWAY_AFTER_MS
const ROW_WITHIN_MS = 5_000
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000
/** The minimum time that `close` waits for a store that does not answer. */
const CLOSE_WITHIN_MS = 5_000

/**
 * Writes the ledger by group commit. A call waits for its intent, so a commit includes all intents that have arrived.
 * Rows without a waiting caller are written together, since each commit of rows changes the sums of many tables
 * (decision 0028).
 */
export class LedgerQueue {
  readonly #options: LedgerQueueOptions
  readonly #health: LedgerHealth
  readonly #expiry: ExpiryTimer
  readonly #pace: CommitPace
  readonly #backlog = new LedgerBacklog()
  #durability: LedgerPolicy['durability']
  #areCheckpointsDue = false
  #areRowsDue = false
  #isDue = false
  /** Fulfilled when `close` has finished; undefined before it is called. */
  #closing: Promise<void> | undefined
  #isClosed = false
  #closeByMs = 0
  #onEmpty: (() => void) | undefined
  #running: Promise<void> | undefined
  #pauseMs = 0
  #flushTimer: Timer | undefined
  #retryTimer: Timer | undefined
  #checkpointTimer: Timer | undefined

  constructor(options: LedgerQueueOptions) {
    this.#options = options
    this.#durability = options.durability
    this.#pace = new CommitPace(options.clock, options.durability)
    this.#health = new LedgerHealth(options.reports)
    this.#expiry = new ExpiryTimer(options.clock, (nowMs) => this.#backlog.expire(nowMs))
  }

  /** Applies to the rows that are recorded from now on. */
  change(durability: LedgerPolicy['durability']): void {
    this.#durability = durability
    this.#pace.change(durability)
  }

  /** The start of the outage on the monotonic clock; undefined while the store answers. */
  get awaySinceMs(): number | undefined {
    return this.#health.awaySinceMs
  }

  /** Whether the store answers, or has been unavailable for a shorter time than this. */
  mayServe(forMs: number): boolean {
    const { awaySinceMs } = this.#health
    return awaySinceMs === undefined || this.#options.clock.monotonicMs() - awaySinceMs < forMs
  }

  /** Whether an intent may be written: during an outage, only for the time and number of intents that may wait. */
  get mayIntend(): boolean {
    if (this.awaySinceMs === undefined) return true
    return this.mayServe(INTENT_WITHIN_MS) && this.#backlog.hasRoomForIntent
  }

  /** Fulfilled when the intent is durable. Fails with `ledger_unavailable` after a timeout, or at once if certain. */
  intend(intent: LedgerIntent): Promise<void> {
    if (this.#closing !== undefined || !this.mayIntend) return refuse()
    const durable = this.#backlog.addIntent(intent, this.#expiry.endsAfter(INTENT_WITHIN_MS))
    this.#wake()
    return durable
  }

  /** Writes an intent soon, since an answer waits for it. Does nothing if the intent is already in a commit. */
  hurry(id: LedgerRowId): void {
    if (!this.#backlog.isCommitted(id)) this.#pace.hurry()
  }

  /** Writes a checkpoint in each second in which the answer makes progress, until its row is recorded. */
  follow(id: LedgerRowId, readOutputTokens: () => number): FollowedAnswer {
    this.#checkpointTimer ??= this.#options.clock.startTimer(CHECKPOINT_EVERY_MS, () => this.#onCheckpoint())
    return this.#backlog.answers.add(id, readOutputTokens)
  }

  /**
   * Records a row. Returns a promise where the caller must wait until the row is durable; it fails with
   * `ledger_unavailable`. An urgent row is written at once and waited for, as with `strict`, but that wait never fails.
   */
  record(row: LedgerRow, followed?: FollowedAnswer, isUrgent = false): Promise<void> | undefined {
    if (followed !== undefined) this.#backlog.answers.remove(followed)
    this.#options.reports.rowRecorded(row)
    const isStrict = this.#durability === 'strict'
    if (!this.#hasRoom(row)) {
      this.#health.recordDropped(1)
      return isStrict ? refuse() : undefined
    }
    if (isStrict || (isUrgent && this.awaySinceMs === undefined)) {
      const durable = this.#backlog.addAwaitedRow(row, this.#expiry.endsAfter(ROW_WITHIN_MS))
      this.#wakeForRows()
      // The row stays in the queue after the wait has ended.
      return isStrict ? durable : durable.catch(() => undefined)
    }
    this.#backlog.addRow(row)
    this.#flushTimer ??= this.#options.clock.startTimer(FLUSH_AFTER_MS, () => this.#wakeForRows())
    return undefined
  }

  /** Fulfilled once the row is durable, with the answer of `isWritten`. Fails if the row is dropped. */
  async recordCorrection(row: LedgerRow, isWritten: () => Promise<boolean>): Promise<boolean> {
    if (!this.#hasRoom(row)) throw new GatewayError('ledger_unavailable')
    const durable = this.#backlog.addAwaitedRow(row, Number.POSITIVE_INFINITY)
    this.#wakeForRows()
    await durable
    const written = await isWritten()
    if (written) this.#options.reports.rowRecorded(row)
    return written
  }

  /** Finds a row that is not durable yet. */
  findWaiting(id: LedgerRowId): LedgerRow | undefined {
    return this.#backlog.findRow(id)
  }

  /** Writes what waits at once, since the store is back. Checkpoints tell its owner which attempts are alive. */
  retryNow(): void {
    this.#backlog.answers.renew()
    if (this.#retryTimer === undefined || this.#isClosed) return
    this.#retryTimer.cancel()
    this.#retryTimer = undefined
    this.#pauseMs = 0
    this.#wakeForRows()
  }

  /** Lets a later `close` wait for its store until a time of the monotonic clock, if that is later than usual. */
  closeBy(atMs: number): void {
    this.#closeByMs = atMs
  }

  /** Writes the waiting rows and intents that the store accepts within seconds, or until the time of `closeBy`. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { clock } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onEmpty = resolve
    const limitMs = Math.max(CLOSE_WITHIN_MS, this.#closeByMs - clock.monotonicMs())
    const limit = clock.startTimer(limitMs, resolve)
    this.#wakeForRows()
    this.#pace.end()
    await promise
    this.#isClosed = true
    const timers = [this.#flushTimer, this.#retryTimer, this.#expiry, this.#checkpointTimer]
    for (const timer of [limit, ...timers]) timer?.cancel()
    this.#backlog.endWaits()
    const { waitingRows } = this.#backlog
    if (waitingRows > 0) this.#health.recordUnwritten(waitingRows)
  }

  #hasRoom(row: LedgerRow): boolean {
    return !this.#isClosed && this.#backlog.hasRoomFor(row)
  }

  /** Commits soon, including the waiting rows. */
  #wakeForRows(): void {
    this.#areRowsDue = true
    this.#wake()
  }

  /** Commits soon. */
  #wake(): void {
    this.#isDue = true
    if (this.#retryTimer === undefined && !this.#isClosed) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    // Writes of the same turn of the event loop share a commit. The upstream request of an intent is sent one turn
    // later, since the HTTP client checks an idle connection before it writes. The commit does not delay that request.
    await nextTurn()
    await nextTurn()
    while (this.#isDue && this.#retryTimer === undefined && !this.#isClosed) {
      await this.#pace.wait()
      this.#isDue = false
      await this.#commit()
    }
    this.#running = undefined
    if (this.#backlog.isEmpty) this.#onEmpty?.()
  }

  async #commit(): Promise<void> {
    // After an outage the store is probed even if nothing waits, since writes are refused until it answers.
    const batch = this.#nextBatch() ?? (this.awaySinceMs === undefined ? undefined : nothing)
    if (batch === undefined) return
    const { store, clock } = this.#options
    const startedAtMs = clock.monotonicMs()
    this.#pace.begin(startedAtMs)
    const limit = clock.startTimer(AWAY_AFTER_MS, () =>
      this.#health.markAway(startedAtMs, 'its store takes longer than a second'),
    )
    try {
      await store.commit(batch)
    } catch (error) {
      if (error instanceof EpochEndedError && error.intents.length > 0) this.#onRefused(error.intents)
      else this.#onFailure(startedAtMs, error)
      return
    } finally {
      limit.cancel()
    }
    this.#onCommitted(batch)
  }

  #nextBatch(): LedgerBatch | undefined {
    const due = { rows: this.#areRowsDue, checkpoints: this.#areCheckpointsDue }
    this.#areCheckpointsDue = false
    this.#areRowsDue = false
    if (due.rows) {
      this.#flushTimer?.cancel()
      this.#flushTimer = undefined
    }
    return this.#backlog.nextBatch(due)
  }

  #onCommitted(batch: LedgerBatch): void {
    this.#pauseMs = 0
    const wasFull = this.#backlog.confirm(batch)
    const hasMore = this.#backlog.waitingRows > 0 && (this.#closing !== undefined || wasFull)
    if (hasMore) {
      this.#isDue = true
      this.#areRowsDue = true
      this.#pace.reset()
    }
    this.#health.markWritten(!hasMore)
  }

  /** Writes the rest at once: the store is available, and only these intents cannot be written. */
  #onRefused(intents: EpochEndedError['intents']): void {
    this.#backlog.refuseIntents(intents)
    this.#isDue = true
    this.#areRowsDue = true
    this.#pace.reset()
  }

  #onFailure(startedAtMs: number, error: unknown): void {
    this.#backlog.putBack()
    this.#health.markAway(startedAtMs, innerReasonOf(error))
    this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, FIRST_PAUSE_MS), MAX_PAUSE_MS)
    this.#retryTimer = this.#options.clock.startTimer(this.#pauseMs, () => {
      this.#retryTimer = undefined
      this.#wakeForRows()
    })
  }

  #onCheckpoint(): void {
    this.#checkpointTimer = undefined
    if (this.#backlog.answers.size === 0) return
    this.#checkpointTimer = this.#options.clock.startTimer(CHECKPOINT_EVERY_MS, () => this.#onCheckpoint())
    this.#areCheckpointsDue = true
    this.#wake()
  }
}

const nothing: LedgerBatch = { intents: [], checkpoints: [], rows: [] }

function refuse(): Promise<void> {
  const refused = Promise.reject(new GatewayError('ledger_unavailable'))
  // The request may have ended already. Its rejection must not count as unhandled.
  refused.catch(() => undefined)
  return refused
}
