import type { EstimatedCharge } from '../../canonical/estimated-charge.ts'
import { innerReasonOf } from '../../canonical/failure.ts'
import type { PriceVersion, PriceVersionId } from '../../catalog/prices/price.ts'
import { createLedgerRowId, type LedgerRowId } from '../../kit/random/ids.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { BudgetMeter } from '../budgets/budget-meter.ts'
import { isLedgerAway } from '../is-ledger-away.ts'
import type { LedgerReader } from '../ledger-reader.ts'
import type { LedgerRow } from '../ledger-row.ts'
import { correctRow, type KnownUsage } from './correct-row.ts'
import type { LedgerQueue } from './ledger-queue.ts'

export interface CorrectionsOptions {
  readonly reader: Pick<LedgerReader, 'rowsOf'>
  readonly queue: Pick<LedgerQueue, 'findWaiting' | 'recordCorrection'>
  readonly meter: Pick<BudgetMeter, 'correct'>
  /**
   * Reads the amounts that other processes have spent from these counters. Returns whether the store answered.
   * Undefined where no other process shares the budgets.
   */
  readonly learnOthers: ((counters: readonly string[]) => Promise<boolean>) | undefined
  /** Finds a price; undefined if the version is no longer known. */
  readonly findPrice: (id: PriceVersionId) => PriceVersion | undefined
  readonly clock: Pick<Clock, 'nowMs' | 'startTimer'>
  readonly warn: (message: string) => void
}

/** The number of settled rows that are remembered. For other rows, the ledger is read. */
const MAX_REMEMBERED_ROWS = 10_000
/** The time until a row is looked for again that another process may not have written yet. */
const LOOK_AGAIN_MS = 1_000
/** The number of times that a row is looked for. A store that is away for longer is left to the next reading. */
const MAX_LOOKS = 10
/** The maximum number of rows that are looked for again. */
const MAX_AWAITED_ROWS = 1_000

type Found =
  | { readonly type: 'estimate'; readonly row: LedgerRow }
  /** The row is not an estimate, or is corrected already. */
  | { readonly type: 'done' }
  /** The row is not written yet, or it was deleted. */
  | { readonly type: 'absent' }

/**
 * Corrects estimates in the ledger when the usage of their answers is known. Each row is corrected once, even if many
 * requests learn of its usage at the same time. In this process, two sets ensure that; across processes, the unique
 * index of the store does.
 */
export class Corrections {
  readonly #options: CorrectionsOptions
  readonly #running = new Set<LedgerRowId>()
  readonly #done = new Set<LedgerRowId>()
  /** The rows that are not in the store yet and are looked for again. */
  readonly #awaited = new Set<LedgerRowId>()

  constructor(options: CorrectionsOptions) {
    this.#options = options
  }

  /**
   * Corrects a row. A row that another process is about to write is corrected soon after. If the store does not answer,
   * the next reading of the answer corrects the row. Returns whether the row is known to need no further correction.
   * Never rejects.
   */
  async correct(charge: EstimatedCharge, known: KnownUsage): Promise<boolean> {
    const { rowId } = charge
    if (this.#done.has(rowId)) return true
    // Incorrect usage of the provider is not better than the estimate.
    if (known.usage.isEstimated || this.#running.has(rowId)) return false
    this.#running.add(rowId)
    try {
      const isDone = await this.#correct(charge, known)
      if (isDone) this.#remember(rowId)
      return isDone
    } catch (error) {
      // The store does not answer. This is reported elsewhere, and the next reading of the answer tries again.
      if (!isLedgerAway(error))
        this.#options.warn(`a row of the ledger cannot be corrected, ${rowId}: ${innerReasonOf(error)}`)
      return false
    } finally {
      this.#running.delete(rowId)
    }
  }

  /** Whether the row needs no further correction. */
  async #correct(charge: EstimatedCharge, known: KnownUsage): Promise<boolean> {
    const found = await this.#find(charge)
    if (found.type === 'done') return true
    if (found.type === 'absent' || !(await this.#knowsOthers(found.row))) {
      this.#lookAgain(charge, known)
      return false
    }
    const { priceVersion } = found.row
    const { findPrice, clock, meter, queue } = this.#options
    const price = priceVersion === undefined ? undefined : findPrice(priceVersion)
    // The estimate stays if its price is unknown.
    if (priceVersion !== undefined && price === undefined) return false
    const id = createLedgerRowId(clock.nowMs())
    const row = correctRow(found.row, { ...known, id, charge, price })
    const change = meter.correct(row.counted)
    let isWritten = false
    try {
      isWritten = await queue.recordCorrection({ ...row, counted: change.counted }, () =>
        this.#isWritten(row),
      )
    } finally {
      // The budgets give nothing back for a correction that the store does not have.
      change.end(isWritten)
    }
    return true
  }

  /** Whether the store took this correction. It ignores it if another process corrected the row first. */
  async #isWritten({ id, requestId }: LedgerRow): Promise<boolean> {
    const { learnOthers, reader } = this.#options
    if (learnOthers === undefined) return true
    return (await reader.rowsOf(requestId)).some(({ row }) => row.id === id)
  }

  /** Whether this process knows the amounts in the windows of a row. Only a known amount can be reduced. */
  async #knowsOthers({ counted }: LedgerRow): Promise<boolean> {
    const { learnOthers } = this.#options
    return learnOthers === undefined || counted.length === 0
      ? true
      : await learnOthers(counted.map(({ counter }) => counter))
  }

  /** Looks for a row until another process has written it. Readers that come meanwhile start no second search. */
  #lookAgain(charge: EstimatedCharge, known: KnownUsage): void {
    if (this.#awaited.has(charge.rowId) || this.#awaited.size >= MAX_AWAITED_ROWS) return
    this.#awaited.add(charge.rowId)
    this.#lookLater(charge, known, 1)
  }

  #lookLater(charge: EstimatedCharge, known: KnownUsage, look: number): void {
    this.#options.clock.startTimer(LOOK_AGAIN_MS, async () => {
      const isDone = await this.correct(charge, known)
      if (isDone || look === MAX_LOOKS) this.#awaited.delete(charge.rowId)
      else this.#lookLater(charge, known, look + 1)
    })
  }

  async #find({ rowId, requestId }: EstimatedCharge): Promise<Found> {
    const { queue, reader } = this.#options
    // The queue is searched first. A row that moves to the store in the meantime is then still found.
    const waiting = queue.findWaiting(rowId)
    if (waiting !== undefined) return judge(waiting)
    const rows = (await reader.rowsOf(requestId)).map(({ row }) => row)
    if (rows.some(({ flags }) => flags.corrects === rowId)) return { type: 'done' }
    return judge(rows.find(({ id }) => id === rowId))
  }

  #remember(rowId: LedgerRowId): void {
    this.#done.add(rowId)
    const [oldest] = this.#done
    if (this.#done.size > MAX_REMEMBERED_ROWS && oldest !== undefined) this.#done.delete(oldest)
  }
}

function judge(row: LedgerRow | undefined): Found {
  if (row === undefined) return { type: 'absent' }
  return row.state === 'estimated' ? { type: 'estimate', row } : { type: 'done' }
}
