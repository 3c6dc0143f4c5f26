import { GatewayError, innerReasonOf } from '../canonical/failure.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import { MINUTE_MS } from '../kit/time/time-units.ts'
import type { Observer, RequestRow } from '../telemetry/observer.ts'
import { type PackedRows, packRow, RowBuffer } from './pack-row.ts'
import type { RequestLogPolicy } from './request-log-schema.ts'
import type { RequestLogStore } from './request-log-store.ts'

/**
 * Stores the rows of ended requests whenever the store works. No request waits for the store or fails because of it.
 */
export interface StoredLog
  extends Observer,
    Pick<RequestLogStore, 'page' | 'find' | 'callers' | 'traffic' | 'copyTo'> {
  /** Applies a new policy from now on; with undefined, no rows are stored and the store is closed. */
  change(policy: RequestLogPolicy | undefined): void
  /** Writes the waiting rows, if that is possible, and closes the store. */
  close(): Promise<void>
}

export interface StoredLogOptions {
  readonly openStore: () => Promise<RequestLogStore>
  /** Whether the disk has room for data that is not essential. */
  readonly mayWrite?: () => boolean
  readonly clock: Clock
  readonly policy: RequestLogPolicy | undefined
  readonly reports: StoredLogReports
}

/** Reports the state of the stored log to operators. */
export interface StoredLogReports {
  setUp(isUp: boolean): void
  addDropped(count: number): void
  warn(message: string): void
}

/** The time for which rows are collected before they are written together. */
const FLUSH_AFTER_MS = 250
/** The maximum number of rows that wait for the store. Further rows are dropped. */
const MAX_WAITING_ROWS = 20_000
const MAX_WAITING_BYTES = 32 * 1024 ** 2
/**
 * A list waits until the waiting rows are written, unless there are more than this. Writing more would make the list
 * slow, and they are written within a quarter of a second anyway.
 */
const MAX_ROWS_BEFORE_LIST = 32
const RETRY_AFTER_MS = 5_000
const WARN_EVERY_MS = MINUTE_MS
const PRUNE_EVERY_MS = MINUTE_MS
/** The pause between two batches of pruning, in which rows can be written. */
const PRUNE_PAUSE_MS = 20

export function createStoredLog(options: StoredLogOptions): StoredLog {
  return new QueuedLog(options)
}

class QueuedLog implements StoredLog {
  readonly #options: StoredLogOptions
  #policy: RequestLogPolicy | undefined
  readonly #open = new RowBuffer()
  #sealed: PackedRows[] = []
  #waitingRows = 0
  #sealedBytes = 0
  #store: RequestLogStore | undefined
  #flushTimer: Timer | undefined
  #pruneTimer: Timer | undefined
  #retryTimer: Timer | undefined
  #work: Promise<void> | undefined
  #fault: unknown
  #isClosed = false
  #dropped = 0
  #warnedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: StoredLogOptions) {
    this.#options = options
    this.change(options.policy)
  }

  requestEnded(row: RequestRow): void {
    if (this.#policy === undefined || this.#isClosed || !isLogged(row)) return
    if (this.#waitingRows >= MAX_WAITING_ROWS || this.#sealedBytes >= MAX_WAITING_BYTES) {
      this.#drop(1)
      return
    }
    const packed = packRow(row)
    if (!this.#open.add(packed)) {
      this.#seal()
      this.#open.add(packed)
    }
    this.#waitingRows += 1
    if (this.#flushTimer !== undefined || this.#retryTimer !== undefined) return
    this.#flushTimer = this.#options.clock.startTimer(FLUSH_AFTER_MS, () => void this.#flush())
  }

  async page(query: Parameters<RequestLogStore['page']>[0]) {
    const isBusy = this.#waitingRows > MAX_ROWS_BEFORE_LIST
    return ((isBusy ? this.#workingStore : undefined) ?? (await this.#reader())).page(query)
  }

  async find(requestId: string) {
    return (await this.#reader()).find(requestId)
  }

  async callers(query: Parameters<RequestLogStore['callers']>[0]) {
    return (await this.#reader()).callers(query)
  }

  async traffic(query: Parameters<RequestLogStore['traffic']>[0]) {
    return (await this.#reader()).traffic(query)
  }

  async copyTo(path: string) {
    return (await this.#reader()).copyTo(path)
  }

  change(policy: RequestLogPolicy | undefined): void {
    this.#policy = policy
    this.#reportUp()
    if (policy === undefined) {
      this.#stopTimers()
      void this.#flush().then(() => this.#closeStore())
      return
    }
    if (this.#pruneTimer === undefined) this.#startPruning(PRUNE_EVERY_MS)
    void this.#flush()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stopTimers()
    await this.#flush()
    if (this.#waitingRows > 0) this.#drop(this.#waitingRows)
    this.#sealed = []
    this.#waitingRows = 0
    this.#stopTimers()
    await this.#closeStore()
  }

  /** Writes the waiting rows first, so that a request that has ended is found. */
  async #reader(): Promise<RequestLogStore> {
    if (this.#policy === undefined) {
      throw new GatewayError('store_unavailable', {
        message: 'The request log is off. Give request_log in the configuration, such as { keep: 30d }.',
      })
    }
    await this.#flush()
    const store = this.#workingStore
    if (store !== undefined) return store
    throw new GatewayError(
      'store_unavailable',
      {
        message: 'The request log cannot be used at the moment. The log on standard output says why.',
        logCause: innerReasonOf(this.#fault),
      },
      { cause: this.#fault },
    )
  }

  /** Nothing is wrong with a log that is off, although it has no store. */
  #reportUp(): void {
    this.#options.reports.setUp(this.#policy === undefined || this.#fault === undefined)
  }

  get #workingStore(): RequestLogStore | undefined {
    return this.#policy === undefined || this.#fault !== undefined ? undefined : this.#store
  }

  /** Writes all rows that were waiting when the flush began. Never rejects. One flush runs at a time. */
  async #flush(): Promise<void> {
    this.#flushTimer?.cancel()
    this.#flushTimer = undefined
    while (this.#work !== undefined) await this.#work
    const work = this.#write().catch((error: unknown) => this.#breakOff(error))
    this.#work = work
    await work
    if (this.#work === work) this.#work = undefined
  }

  async #write(): Promise<void> {
    if (this.#policy === undefined && this.#waitingRows === 0) return
    this.#store ??= await this.#options.openStore()
    // Rows that arrive during the flush wait for the next one. Otherwise a busy log would write a few rows at a time
    // without a pause.
    this.#seal()
    for (let rows = this.#sealed[0]; rows !== undefined; rows = this.#sealed[0]) {
      if (this.#options.mayWrite?.() === false)
        throw new GatewayError('store_unavailable', { logCause: 'the disk fills up' })
      await this.#store.append(rows)
      this.#sealed.shift()
      this.#waitingRows -= rows.count
      this.#sealedBytes -= rows.bytes.length
    }
    if (this.#fault === undefined) return
    this.#fault = undefined
    this.#reportUp()
    this.#options.reports.warn('writing the request log resumed')
    this.#warnedAtMs = Number.NEGATIVE_INFINITY
  }

  #seal(): void {
    const rows = this.#open.flush()
    if (rows === undefined) return
    this.#sealed.push(rows)
    this.#sealedBytes += rows.bytes.length
  }

  /** Leaves the unwritten rows in the queue, and opens the store again for the next try. */
  async #breakOff(error: unknown): Promise<void> {
    this.#fault = error
    this.#reportUp()
    this.#warn(
      `the request log cannot be written and is off until writing succeeds: ${innerReasonOf(error)}; requests are served without it`,
    )
    await this.#closeStore()
    if (this.#isClosed || this.#policy === undefined) return
    this.#retryTimer?.cancel()
    this.#retryTimer = this.#options.clock.startTimer(RETRY_AFTER_MS, () => {
      this.#retryTimer = undefined
      void this.#flush()
    })
  }

  async #closeStore(): Promise<void> {
    const store = this.#store
    this.#store = undefined
    await store?.close().catch((error: unknown) => {
      // A store that failed before would report the same fault again.
      if (this.#fault === undefined) this.#warn(`the request log cannot be closed: ${innerReasonOf(error)}`)
    })
  }

  #drop(count: number): void {
    this.#options.reports.addDropped(count)
    this.#dropped += count
    const { clock } = this.#options
    if (!this.#isClosed && clock.monotonicMs() - this.#warnedAtMs < WARN_EVERY_MS) return
    this.#warn(`the request log lost ${this.#dropped} rows, which arrived faster than they could be written`)
    this.#dropped = 0
  }

  #warn(message: string): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (!this.#isClosed && nowMs - this.#warnedAtMs < WARN_EVERY_MS) return
    this.#warnedAtMs = nowMs
    this.#options.reports.warn(message)
  }

  #startPruning(delayMs: number): void {
    this.#pruneTimer = this.#options.clock.startTimer(delayMs, () => void this.#prune())
  }

  async #prune(): Promise<void> {
    let hasMore = false
    try {
      if (this.#policy !== undefined && this.#fault === undefined && this.#store !== undefined) {
        const { keepMs, maxRows } = this.#policy
        const endedBeforeMs = this.#options.clock.nowMs() - keepMs
        hasMore = (await this.#store.prune({ endedBeforeMs, maxRows })).hasMore
      }
    } catch (error) {
      this.#warn(`the request log cannot be pruned: ${innerReasonOf(error)}`)
    }
    if (this.#policy !== undefined && !this.#isClosed) {
      this.#startPruning(hasMore ? PRUNE_PAUSE_MS : PRUNE_EVERY_MS)
    }
  }

  #stopTimers(): void {
    for (const timer of [this.#flushTimer, this.#pruneTimer, this.#retryTimer]) timer?.cancel()
    this.#flushTimer = undefined
    this.#pruneTimer = undefined
    this.#retryTimer = undefined
  }
}

/** Whether the row is logged: requests of callers, and requests that were refused. */
function isLogged({ isOperator, format, keyId, status }: RequestRow): boolean {
  return isOperator !== true && (format !== undefined || keyId !== undefined || status >= 400)
}
