import type { Clock } from '../../kit/time/clock.ts'
import type { BudgetId } from '../../metering/budget.ts'
import { checkEpochs } from '../../metering/leases/check-epochs.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { EpochEndedError } from '../../metering/leases/epoch-ended-error.ts'
import { LeaseTable, type LeaseTableState } from '../../metering/leases/lease-table.ts'
import type { LeaseOrder, MeterStore } from '../../metering/leases/meter-store.ts'
import {
  EPOCH_MARGIN_MS,
  EPOCH_VALID_MS,
  type LiveNode,
  type NodeDetails,
  type NodeRegistry,
} from '../../metering/leases/node-registry.ts'
import type { LedgerIntent, LedgerRow } from '../../metering/ledger-row.ts'
import type { LedgerBatch, LedgerState, OpenIntent } from '../../metering/ledger-store.ts'
import type { OwnedLedgerFile } from '../ledger/open-ledger.ts'
import { EARLIER, OpenIntentTable, type TrackedIntent, windowNameOf } from './open-intent-table.ts'

export interface OwnedMeterOptions {
  readonly file: Pick<OwnedLedgerFile, 'load' | 'commitNew'>
  readonly clock: Clock
  /** The time after which no process is expected to settle the attempts that were open at the start. */
  readonly earlierOrphansAfterMs: number
}

/** The state that one owner passes to the next. */
export interface MeterHandover {
  readonly table: LeaseTableState
  readonly nodes: readonly LiveNode[]
  readonly intents: readonly TrackedIntent[]
  /**
   * The monotonic time of the previous owner, since each process has its own. Undefined from an owner of an earlier
   * version.
   */
  readonly atMonotonicMs?: number
}

/** A process that has been disconnected for this long is considered gone. */
const GONE_AFTER_MS = 10_000

/**
 * The budgets and the ledger of all processes on one machine, in the process that owns the file. All state for
 * decisions is in memory. The sums of windows and the open intents are those of the file; leases and epochs end with
 * the owner.
 */
export class OwnedMeter implements MeterStore {
  readonly #options: OwnedMeterOptions
  readonly #table: LeaseTable
  readonly #intents = new OpenIntentTable()
  readonly #nodes = new Map<Epoch, LiveNode>()

  constructor(options: OwnedMeterOptions) {
    this.#options = options
    this.#table = new LeaseTable(options.clock.nowMs)
  }

  /** Loads the state from the file, or continues from the state of a previous owner. Must be called first. */
  async open(handover?: MeterHandover): Promise<void> {
    const { file, clock, earlierOrphansAfterMs } = this.#options
    // Epochs are numbered by the time, so that no owner reuses an epoch of another.
    this.#table.beginAfter(clock.nowMs())
    if (handover !== undefined) {
      this.#table.restore(handover.table)
      for (const node of handover.nodes) this.#nodes.set(node.epoch, node)
      for (const { orphanSinceMs, ...intent } of handover.intents)
        this.#intents.add({
          ...intent,
          orphanSinceMs: this.#toOwnTime(orphanSinceMs, handover.atMonotonicMs),
        })
      return
    }
    const { counters, openIntents } = await file.load(clock.nowMs())
    for (const counter of counters) this.#table.load(counter)
    const orphanSinceMs = clock.monotonicMs() - GONE_AFTER_MS + earlierOrphansAfterMs
    for (const { intent, outputTokens } of openIntents) {
      this.#intents.add({ intent, outputTokens, epoch: EARLIER, process: undefined, orphanSinceMs })
      for (const { amount, ...window } of intent.held)
        this.#table.loadLease(EARLIER, window, {
          granted: this.#table.grantedTo(EARLIER, window) + amount,
          spent: 0,
        })
    }
  }

  handover(): MeterHandover {
    return {
      table: this.#table.state(),
      nodes: [...this.#nodes.values()],
      intents: this.#intents.state(),
      atMonotonicMs: this.#options.clock.monotonicMs(),
    }
  }

  /** Converts a monotonic time of the previous owner. Now, if its clock is unknown. */
  #toOwnTime(itsMs: number | undefined, itsNowMs: number | undefined): number | undefined {
    if (itsMs === undefined) return undefined
    return this.#options.clock.monotonicMs() - (itsNowMs === undefined ? 0 : itsNowMs - itsMs)
  }

  async lease(epoch: Epoch, order: LeaseOrder): ReturnType<MeterStore['lease']> {
    return this.#table.carryOut(epoch, order)
  }

  readOthers(epoch: Epoch, counters: readonly string[]): ReturnType<MeterStore['readOthers']> {
    return this.#table.readOthers(epoch, counters)
  }

  findTopValues(budget: BudgetId, limit: number): ReturnType<MeterStore['findTopValues']> {
    return this.#table.findTopValues(budget, limit)
  }

  /** The nodes of this installation: the processes on this machine. */
  readonly nodes: NodeRegistry = {
    join: async (details) => {
      const nowMs = this.#options.clock.nowMs()
      this.#endLivesOf(details.id)
      const epoch = this.#table.begin()
      this.#nodes.set(epoch, { ...details, epoch, startedAtMs: nowMs, seenAtMs: nowMs })
      this.#intents.joined(details.id)
      return { epoch, nowMs, count: this.#nodes.size }
    },
    renew: async (epoch, details) => this.#renew(epoch, details),
    leave: async (epoch) => this.#end(epoch),
    list: async () => [...this.#nodes.values()],
  }

  /** Ends all leases of a process whose connection has ended. The process may still settle its open attempts. */
  gone(process: string): void {
    this.#endLivesOf(process)
    this.#intents.gone(process, this.#options.clock.monotonicMs())
  }

  async load(): Promise<LedgerState> {
    const { counters } = await this.#options.file.load(this.#options.clock.nowMs())
    return { counters, openIntents: [] }
  }

  async findOrphans(): Promise<readonly OpenIntent[]> {
    return this.#intents.orphansSince(this.#options.clock.monotonicMs() - GONE_AFTER_MS)
  }

  /**
   * Commits what a process writes in its epoch. Throws `EpochEndedError` where the budget that an intent holds is
   * gone.
   */
  async commit(
    batch: LedgerBatch,
    writer: { readonly epoch: Epoch; readonly process: string },
  ): Promise<void> {
    const begun = this.#begin(batch, writer)
    let known: ReadonlySet<string>
    try {
      known = new Set(await this.#options.file.commitNew(batch))
    } catch (error) {
      for (const { id } of begun) this.#release(this.#intents.remove(id), [])
      throw error
    }
    for (const checkpoint of batch.checkpoints) this.#intents.checkpoint(checkpoint, writer.process)
    for (const row of batch.rows) if (!known.has(row.id)) this.#count(row, writer.epoch)
    this.#forgetKnown(batch.rows, known)
  }

  /** Intents hold their amounts before they are durable. If the epoch ends in the meantime, these amounts stay held. */
  #begin(
    { intents, rows }: LedgerBatch,
    { epoch, process }: { readonly epoch: Epoch; readonly process: string },
  ): readonly LedgerIntent[] {
    const settled = new Set(rows.map(({ id }) => id))
    const begun = intents.filter(({ id }) => !settled.has(id) && !this.#intents.has(id))
    checkEpochs(begun, { epoch, isLive: this.#table.isLive(epoch) })
    for (const intent of begun)
      this.#intents.add({ intent, outputTokens: 0, epoch, process, orphanSinceMs: undefined })
    return begun
  }

  #count(row: LedgerRow, writer: Epoch): void {
    const tracked = this.#intents.remove(row.id)
    if (tracked !== undefined) {
      this.#release(tracked, row.counted)
      return
    }
    for (const { amount, ...window } of row.counted) this.#table.count(writer, { ...window, amount, held: 0 })
  }

  /** Replaces the held amounts of an intent with the counted ones, in each window of either. */
  #release(tracked: TrackedIntent | undefined, counted: LedgerRow['counted']): void {
    if (tracked === undefined) return
    const { epoch, intent } = tracked
    const held = new Map(intent.held.map((each) => [windowNameOf(each), each]))
    for (const { amount, ...window } of counted) {
      this.#table.count(epoch, { ...window, amount, held: held.get(windowNameOf(window))?.amount ?? 0 })
      held.delete(windowNameOf(window))
    }
    for (const { amount, ...window } of held.values())
      this.#table.count(epoch, { ...window, amount: 0, held: amount })
  }

  /** A row that existed already has ended its intent in the file. */
  #forgetKnown(rows: readonly LedgerRow[], known: ReadonlySet<string>): void {
    for (const { id } of rows) if (known.has(id)) this.#intents.remove(id)
  }

  #renew(epoch: Epoch, details: NodeDetails) {
    const known = this.#nodes.get(epoch)
    if (known === undefined) throw new EpochEndedError()
    const nowMs = this.#options.clock.nowMs()
    this.#nodes.set(epoch, { ...known, ...details, seenAtMs: nowMs })
    this.#endSilent(nowMs)
    this.#table.tidy((each) => this.#intents.holdsOpen(each))
    return { nowMs, count: this.#nodes.size }
  }

  #endSilent(nowMs: number): void {
    for (const { epoch, seenAtMs } of this.#nodes.values())
      if (nowMs - seenAtMs > EPOCH_VALID_MS + EPOCH_MARGIN_MS) this.#end(epoch)
  }

  #endLivesOf(process: string): void {
    for (const { epoch, id } of this.#nodes.values()) if (id === process) this.#end(epoch)
  }

  #end(epoch: Epoch): void {
    if (!this.#nodes.delete(epoch)) return
    this.#table.end(epoch, this.#intents.heldBy(epoch))
  }
}
