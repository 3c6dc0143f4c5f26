import { type Clock, nextTurn, type Timer } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { BudgetId } from '../budget.ts'
import type { BudgetCounter } from '../budgets/budget-counter.ts'
import type { BudgetMeter } from '../budgets/budget-meter.ts'
import type { LeaseShortage } from '../budgets/lease-shortage.ts'
import type { WindowSum } from '../budgets/window-sum.ts'
import type { HoldRequest, HoldResult } from '../meter.ts'
import type { Epoch } from './epoch.ts'
import { EpochEndedError } from './epoch-ended-error.ts'
import { findOthersSpending, findReturnable, hasEnoughLeft, isLeaseOf } from './lease-answers.ts'
import { LeasedWindows } from './leased-windows.ts'
import type { Lease, LeaseAsk, MeterStore } from './meter-store.ts'

/** The result that no lease is available now: the store does not answer, or other nodes consider this process dead. */
export interface LeasesAway {
  readonly type: 'leases-away'
}

export interface BudgetLeasesOptions {
  readonly store: MeterStore
  readonly clock: Pick<Clock, 'monotonicMs' | 'startTimer'>
  /** Wall time on the clock that all processes share. */
  readonly nowMs: () => number
  /** Asks other processes to give back the unused amounts of these counters. */
  readonly askOthers: (counters: readonly string[]) => void
  /** Called when other processes have ended the epoch. */
  readonly onEpochEnded: () => void
}

type Meter = Pick<BudgetMeter, 'hold' | 'findShortages' | 'adoptOthers' | 'usedSince'>

interface Waiting {
  readonly asks: readonly LeaseAsk[]
  /** Called with the leases, or with undefined if the store failed. */
  readonly resolve: (leases: readonly Lease[] | undefined) => void
}

/**
 * The time between two reads of the amounts that other processes spent. Unused amounts are given back at each of them.
 */
const TICK_MS = 1_000
/** The maximum time that a request waits for a lease. */
const LEASE_WITHIN_MS = 2_000
/** The times to wait for other processes to give back amounts, one after the other. */
const OTHERS_WITHIN_MS = [30, 90, 150] as const
/** The maximum number of orders for one request. Another request may use the lease of each of them first. */
const MAX_ORDERS = 32
/** The time for which freed amounts of a nearly spent budget are collected, to be given back together. */
const RETURN_AFTER_MS = 10
/** The sums of counters that were not used for this long are not read. */
const USED_WITHIN_MS = MINUTE_MS

/**
 * The leases of this process on budgets that other processes share. While a lease is available, a hold does not wait.
 * Only one order is in flight at a time, so its answer is the current state of the store. A lease whose answer was lost
 * is unused, and is returned at the next tick.
 */
export class BudgetLeases {
  readonly #options: BudgetLeasesOptions
  readonly #windows = new LeasedWindows()
  #meter: Meter | undefined
  #epoch: Epoch | undefined
  #validUntilMs = Number.NEGATIVE_INFINITY
  #waiting: Waiting[] = []
  #areReturnsDue = false
  #running: Promise<void> | undefined
  #tickTimer: Timer | undefined
  #returnTimer: Timer | undefined
  #isStopped = false

  constructor(options: BudgetLeasesOptions) {
    this.#options = options
  }

  /** The epoch in which amounts are held; undefined while there is no epoch. */
  get epoch(): Epoch | undefined {
    return this.#epoch
  }

  /** The number of leased windows. */
  get size(): number {
    return this.#windows.size
  }

  /** Begins an epoch without any leases. The meter must have been restarted with the sums of the store just before. */
  begin(epoch: Epoch, meter: Meter, validUntilMs: number): void {
    this.#epoch = epoch
    this.#meter = meter
    this.#windows.clear()
    this.#validUntilMs = validUntilMs
    this.#tickTimer ??= this.#options.clock.startTimer(TICK_MS, () => this.#tick())
  }

  /** Extends the epoch. Other processes do not end it before this time of the monotonic clock. */
  renewed(validUntilMs: number): void {
    this.#validUntilMs = validUntilMs
  }

  /** Stops all new holds until another epoch begins. */
  lapse(): void {
    this.#validUntilMs = Number.NEGATIVE_INFINITY
  }

  /** Holds at once if the leases are available; else when they are granted or refused. Never rejects. */
  hold(request: HoldRequest): HoldResult | LeasesAway | Promise<HoldResult | LeasesAway> {
    const meter = this.#meter
    if (meter === undefined) return away
    const shortages = this.#shortagesOf(meter, request)
    if (shortages.length === 0 && (this.#isValid || !isExact(request))) return this.#holdNow(meter, request)
    return this.#isValid ? this.#holdLeased(meter, request, shortages) : away
  }

  /** Gives back the unused amounts of a counter, since other processes need them. */
  onOthersNeed(counter: string): void {
    if (this.#windows.markWanted(counter)) this.#returnSoon()
  }

  /** Called when a hold has ended. */
  readonly onFreed = (counter: BudgetCounter, sum: WindowSum): void => {
    if (this.#windows.isTight(counter.id, sum.startMs)) this.#returnSoon()
  }

  /** Called when a correction has changed a window. Other processes may use the amount that it took back. */
  readonly onCorrected = (counter: BudgetCounter, sum: WindowSum): void => {
    this.#windows.add(counter, counter.keyOf(sum))
    this.#returnSoon()
  }

  /**
   * Reads the amounts that other processes have spent from these counters. False if the store does not answer. A
   * correction needs them: a row of another process can only be reduced by an amount that is known to be spent.
   */
  readonly learnOthers = async (counters: readonly string[]): Promise<boolean> => {
    if (counters.length === 0) return true
    return this.#isValid && (await this.#readOthers(counters))
  }

  /** Reads what other processes have spent of a budget's values, of those that have spent the most. Never rejects. */
  readonly learnTopValues = async (budget: BudgetId, limit: number): Promise<void> => {
    const epoch = this.#epoch
    if (epoch === undefined || !this.#isValid) return
    try {
      await this.learnOthers(await this.#options.store.findTopValues(budget, limit))
    } catch (error) {
      this.#onFailure(epoch, error)
    }
  }

  async #readOthers(counters: readonly string[]): Promise<boolean> {
    const [epoch, meter] = [this.#epoch, this.#meter]
    if (epoch === undefined || meter === undefined) return false
    try {
      const states = await this.#options.store.readOthers(epoch, counters)
      if (epoch !== this.#epoch) return false
      meter.adoptOthers(states)
      return true
    } catch (error) {
      this.#onFailure(epoch, error)
      return false
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#tickTimer?.cancel()
    this.#returnTimer?.cancel()
    await this.#running
  }

  get #isValid(): boolean {
    return this.#options.clock.monotonicMs() < this.#validUntilMs
  }

  #shortagesOf(meter: Meter, request: HoldRequest): readonly LeaseShortage[] {
    return meter.findShortages(request, this.#options.nowMs())
  }

  #holdNow(meter: Meter, request: HoldRequest): HoldResult {
    const result = meter.hold(request, this.#options.nowMs())
    return result.type === 'held' ? { ...result, epoch: this.#epoch } : result
  }

  async #holdLeased(
    meter: Meter,
    request: HoldRequest,
    first: readonly LeaseShortage[],
  ): Promise<HoldResult | LeasesAway> {
    let shortages = first
    const waits = OTHERS_WITHIN_MS.values()
    for (let orders = 0; orders < MAX_ORDERS; orders += 1) {
      const leases = await this.#askWithin(shortages.map((each) => this.#askOf(each)))
      if (leases === undefined || !this.#isValid || this.#meter !== meter) return away
      shortages = this.#shortagesOf(meter, request)
      const short = shortages.filter(({ minimum }) => minimum > 0)
      if (short.length === 0) break
      // Ask again: another request used the lease, available amounts were given back, or another epoch has begun.
      if (short.every((each) => hasEnoughLeft(each, leases))) continue
      const wanted = findReturnable(short, leases)
      const wait = waits.next()
      if (wait.done === true || wanted.length === 0) break
      this.#options.askOthers(wanted)
      await this.#wait(wait.value)
    }
    return this.#holdNow(meter, request)
  }

  #askOf({ counter, sum, ...shortage }: LeaseShortage): LeaseAsk {
    const ahead = this.#windows.usualNeed(counter, sum) + shortage.needed
    this.#windows.add(counter, shortage.window)
    return { ...shortage, ahead }
  }

  /** Undefined if the store fails or does not answer in time. */
  async #askWithin(asks: readonly LeaseAsk[]): Promise<readonly Lease[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly Lease[] | undefined>()
    this.#waiting.push({ asks, resolve })
    const limit = this.#options.clock.startTimer(LEASE_WITHIN_MS, () => resolve(undefined))
    this.#start()
    const leases = await promise
    limit.cancel()
    return leases
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.startTimer(delayMs, resolve))
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#waiting.length > 0) this.#start()
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#areReturnsDue) {
      const waiting = this.#waiting
      const epoch = this.#epoch
      this.#waiting = []
      const asks = waiting.flatMap((each) => each.asks)
      const returns = this.#areReturnsDue ? this.#windows.lowerUnused(asks) : []
      this.#areReturnsDue = false
      if (asks.length + returns.length === 0 || epoch === undefined) continue
      try {
        const leases = await this.#options.store.lease(epoch, { asks, returns })
        if (epoch !== this.#epoch) throw new EpochEndedError()
        this.#windows.adopt(leases, asks)
        this.#meter?.adoptOthers(findOthersSpending(asks, leases))
        for (const each of waiting) each.resolve(leases.filter((lease) => isLeaseOf(lease, each.asks)))
        // The requests that waited place their holds before unused amounts are given back.
        if (this.#areReturnsDue) await nextTurn()
      } catch (error) {
        for (const { resolve } of waiting) resolve(undefined)
        if (epoch === this.#epoch)
          this.#windows.markUncertain([...asks.map(({ window }) => window), ...returns])
        this.#onFailure(epoch, error)
      }
    }
  }

  #onFailure(epoch: Epoch, error: unknown): void {
    if (!(error instanceof EpochEndedError) || epoch !== this.#epoch) return
    this.lapse()
    this.#options.onEpochEnded()
  }

  #returnSoon(): void {
    this.#returnTimer ??= this.#options.clock.startTimer(RETURN_AFTER_MS, () => {
      this.#returnTimer = undefined
      this.#areReturnsDue = true
      if (!this.#isStopped) this.#start()
    })
  }

  #tick(): void {
    if (this.#isStopped) return
    this.#windows.measure()
    this.#areReturnsDue = true
    this.#start()
    void this.#readUsed().finally(() => {
      if (!this.#isStopped) this.#tickTimer = this.#options.clock.startTimer(TICK_MS, () => this.#tick())
    })
  }

  /** Reads the amounts that other processes spent. If the store does not answer, the next tick reads again. */
  async #readUsed(): Promise<void> {
    const counters = this.#meter?.usedSince(this.#options.nowMs() - USED_WITHIN_MS) ?? []
    if (counters.length > 0) await this.#readOthers(counters)
  }
}

const away: LeasesAway = { type: 'leases-away' }

function isExact({ budgets }: HoldRequest): boolean {
  return budgets.some(({ budget }) => budget.mode === 'exact')
}
