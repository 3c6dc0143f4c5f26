import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import type { BudgetId } from '../budget.ts'
import { valuePrefixOf } from '../budgets/counter-id.ts'
import type { CounterKey } from '../ledger-row.ts'
import type { CounterState } from '../ledger-store.ts'
import type { Epoch } from './epoch.ts'
import { EpochEndedError } from './epoch-ended-error.ts'
import type { Lease, LeaseAsk, LeaseOrder, LeaseReturn, MeterStore } from './meter-store.ts'
import { planGrant } from './plan-grant.ts'

/** The event loop gets a turn after this many counters, since the process that owns the files serves all others. */
const COUNTERS_A_TURN = 2_000

interface SpentCounter {
  readonly counter: string
  readonly spent: number
}

interface Window extends CounterKey {
  /** The amount spent by ended epochs, and before the first epoch. */
  settled: number
  readonly leases: Map<Epoch, LeaseState>
}

export interface LeaseState {
  granted: number
  spent: number
}

/** The windows and leases of a table as plain data, for the process that continues with them. */
export interface LeaseTableState {
  readonly lastEpoch: number
  readonly live: readonly Epoch[]
  readonly windows: readonly (CounterKey & {
    readonly settled: number
    readonly leases: readonly (readonly [Epoch, LeaseState])[]
  })[]
}

/**
 * The leases on the windows of all budgets, in memory: the meter store of a process that is the only owner of the
 * ledger.
 */
export class LeaseTable implements MeterStore {
  readonly #nowMs: () => number
  readonly #counters = new Map<string, Window[]>()
  readonly #live = new Set<Epoch>()
  #lastEpoch = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Loads the sum of a window from the ledger. */
  load({ spent, ...key }: CounterState): void {
    this.#windowOf(key).settled = spent
  }

  /** Loads a lease from a store. */
  loadLease(epoch: Epoch, key: CounterKey, state: Readonly<LeaseState>): void {
    this.#windowOf(key).leases.set(epoch, { ...state })
  }

  grantedTo(epoch: Epoch, key: CounterKey): number {
    return this.#windowOf(key).leases.get(epoch)?.granted ?? 0
  }

  live(epochs: readonly Epoch[]): void {
    for (const epoch of epochs) this.#live.add(epoch)
  }

  isLive(epoch: Epoch): boolean {
    return this.#live.has(epoch)
  }

  state(): LeaseTableState {
    const windows = [...this.#windows()].map(({ leases, ...window }) => ({ ...window, leases: [...leases] }))
    return { lastEpoch: this.#lastEpoch, live: [...this.#live], windows }
  }

  /** Continues from the state of another table. */
  restore({ lastEpoch, live, windows }: LeaseTableState): void {
    this.#lastEpoch = lastEpoch
    this.live(live)
    for (const { leases, settled, ...key } of windows) {
      this.load({ ...key, spent: brand<NanoDollars>(settled) })
      for (const [epoch, state] of leases) this.loadLease(epoch, key, state)
    }
  }

  /** Makes new epochs start after this one, so that no epoch of another table is used again. */
  beginAfter(epoch: number): void {
    this.#lastEpoch = Math.max(this.#lastEpoch, epoch)
  }

  /**
   * Removes windows that have ended. Adds the amounts spent in ended epochs to the windows themselves, unless the epoch
   * still holds something.
   */
  tidy(holdsOpen: (epoch: Epoch) => boolean): void {
    const nowMs = this.#nowMs()
    for (const [counter, windows] of this.#counters) {
      const open = windows.filter(({ windowEndMs }) => windowEndMs === undefined || windowEndMs > nowMs)
      if (open.length === 0) this.#counters.delete(counter)
      else if (open.length < windows.length) this.#counters.set(counter, open)
      for (const window of open) this.#fold(window, holdsOpen)
    }
  }

  #fold(window: Window, holdsOpen: (epoch: Epoch) => boolean): void {
    for (const [epoch, { spent }] of window.leases) {
      if (this.#live.has(epoch) || holdsOpen(epoch)) continue
      window.settled += spent
      window.leases.delete(epoch)
    }
  }

  begin(): Epoch {
    this.#lastEpoch += 1
    const epoch = brand<Epoch>(this.#lastEpoch)
    this.#live.add(epoch)
    return epoch
  }

  /**
   * Ends an epoch. Only the amount that it has spent, and the amount that durable intents still hold, stays granted.
   */
  end(epoch: Epoch, heldOf: (window: CounterKey) => number): void {
    this.#live.delete(epoch)
    for (const window of this.#windows()) {
      const lease = window.leases.get(epoch)
      if (lease !== undefined) lease.granted = lease.spent + heldOf(window)
    }
  }

  /**
   * Counts the amount of an epoch's row. `held` is the amount that the intent held. An epoch that has ended gives back
   * the difference.
   */
  count(
    epoch: Epoch,
    { amount, held, ...key }: CounterKey & { readonly amount: number; readonly held: number },
  ): void {
    const lease = leaseIn(this.#windowOf(key), epoch)
    lease.spent += amount
    if (!this.#live.has(epoch)) lease.granted += amount - held
  }

  async lease(epoch: Epoch, order: LeaseOrder): Promise<readonly Lease[]> {
    return this.carryOut(epoch, order)
  }

  /** The synchronous version of `lease`. */
  carryOut(epoch: Epoch, { asks, returns }: LeaseOrder): readonly Lease[] {
    if (!this.#live.has(epoch)) throw new EpochEndedError()
    for (const each of returns) this.#lower(epoch, each)
    for (const ask of asks) this.#grant(epoch, ask)
    return [
      ...asks.map((ask) => this.#describe(epoch, ask.window, ask)),
      ...returns.map((each) => this.#describe(epoch, { ...each, windowEndMs: undefined }, undefined)),
    ]
  }

  async readOthers(epoch: Epoch, counters: readonly string[]): Promise<readonly CounterState[]> {
    return counters.flatMap((counter) =>
      this.#openWindows(counter, true).map(({ leases, settled, ...key }) => {
        const spent = settled + sumOf(leases, epoch, ({ spent: each }) => each)
        return { ...key, spent: brand<NanoDollars>(spent) }
      }),
    )
  }

  async findTopValues(budget: BudgetId, limit: number): Promise<readonly string[]> {
    const prefix = valuePrefixOf(budget)
    let highest: SpentCounter[] = []
    let seen = 0
    for (const counter of this.#counters.keys()) {
      seen += 1
      if (seen % COUNTERS_A_TURN === 0) {
        highest = topOf(highest, limit)
        await nextTurn()
      }
      const spent = counter.startsWith(prefix) ? this.#spentOf(counter) : 0
      if (spent > 0) highest.push({ counter, spent })
    }
    return topOf(highest, limit).map(({ counter }) => counter)
  }

  #spentOf(counter: string): number {
    let sum = 0
    for (const { settled, leases } of this.#openWindows(counter, true))
      sum += settled + sumOf(leases, undefined, ({ spent }) => spent)
    return sum
  }

  #lower(epoch: Epoch, { counter, windowStartMs, granted }: LeaseReturn): void {
    const lease = this.#windowOf({ counter, windowStartMs, windowEndMs: undefined }).leases.get(epoch)
    if (lease !== undefined) lease.granted = Math.min(lease.granted, granted)
  }

  #grant(epoch: Epoch, ask: LeaseAsk): void {
    const lease = leaseIn(this.#windowOf(ask.window), epoch)
    lease.granted += planGrant({ ...ask, used: this.#usedOf(ask), nodes: this.#live.size })
  }

  #usedOf({ window, isRolling }: LeaseAsk): number {
    let used = 0
    // The requested window always counts, even if it is not open by this process's clock.
    const others = this.#openWindows(window.counter, isRolling).filter((each) => !isSame(each, window))
    for (const { settled, leases } of [...others, this.#windowOf(window)])
      used += settled + sumOf(leases, undefined, ({ granted, spent }) => Math.max(granted, spent))
    return used
  }

  #describe(epoch: Epoch, key: CounterKey, ask: LeaseAsk | undefined): Lease {
    const { settled, leases } = this.#windowOf(key)
    const spentByOthers = settled + sumOf(leases, epoch, ({ spent }) => spent)
    const grantedByOthers = settled + sumOf(leases, epoch, ({ granted, spent }) => Math.max(granted, spent))
    return {
      counter: key.counter,
      windowStartMs: key.windowStartMs,
      granted: leases.get(epoch)?.granted ?? 0,
      spentByOthers,
      grantedToOthers: grantedByOthers - spentByOthers,
      left: ask === undefined ? 0 : ask.ceiling - this.#usedOf(ask),
    }
  }

  #openWindows(counter: string, isRolling: boolean): readonly Window[] {
    const nowMs = this.#nowMs()
    return (this.#counters.get(counter) ?? []).filter(
      ({ windowStartMs, windowEndMs = Number.POSITIVE_INFINITY }) =>
        windowEndMs > nowMs && (isRolling || windowStartMs <= nowMs),
    )
  }

  #windowOf(key: CounterKey): Window {
    const windows = this.#counters.get(key.counter) ?? []
    this.#counters.set(key.counter, windows)
    const existing = windows.find(({ windowStartMs }) => windowStartMs === key.windowStartMs)
    if (existing !== undefined) return existing
    const window: Window = { ...key, settled: 0, leases: new Map() }
    windows.push(window)
    return window
  }

  *#windows(): Generator<Window> {
    for (const windows of this.#counters.values()) yield* windows
  }
}

function topOf(counters: readonly SpentCounter[], limit: number): SpentCounter[] {
  return counters.toSorted((one, other) => other.spent - one.spent).slice(0, limit)
}

function isSame(one: CounterKey, other: CounterKey): boolean {
  return one.windowStartMs === other.windowStartMs
}

function leaseIn({ leases }: Window, epoch: Epoch): LeaseState {
  const existing = leases.get(epoch)
  if (existing !== undefined) return existing
  const lease: LeaseState = { granted: 0, spent: 0 }
  leases.set(epoch, lease)
  return lease
}

function sumOf(
  leases: ReadonlyMap<Epoch, LeaseState>,
  except: Epoch | undefined,
  read: (lease: LeaseState) => number,
): number {
  let sum = 0
  for (const [epoch, lease] of leases) if (epoch !== except) sum += read(lease)
  return sum
}
