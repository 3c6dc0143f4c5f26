import type { BudgetTerms } from '../../src/access/limits/budget-terms.ts'
import { brand } from '../../src/kit/brand.ts'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { nextTurn } from '../../src/kit/time/clock.ts'
import type { Budget, BudgetId } from '../../src/metering/budget.ts'
import { BudgetMeter } from '../../src/metering/budgets/budget-meter.ts'
import { BudgetLeases } from '../../src/metering/leases/budget-leases.ts'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import type { MeterStore } from '../../src/metering/leases/meter-store.ts'
import type { CounterKey, HeldAmount } from '../../src/metering/ledger-row.ts'
import type { Hold } from '../../src/metering/meter.ts'
import { createFakeClock, type FakeClock } from './fake-clock.ts'
import { nano } from './ledger-row.ts'
import { type SharedBudgets, shareInMemory } from './shared-budgets.ts'

export interface LeaseFigures {
  held: number
  refused: number
  away: number
  settled: number
  late: number
  ended: number
  lostAnswers: number
}

export function createLeaseFigures(): LeaseFigures {
  return { held: 0, refused: 0, away: 0, settled: 0, late: 0, ended: 0, lostAnswers: 0 }
}

/** A hold whose intent is durable. */
interface Intent {
  readonly number: number
  readonly epoch: Epoch
  readonly hold: Hold
  readonly amounts: readonly HeldAmount[]
}

interface Node {
  epoch: Epoch
  meter: BudgetMeter
  leases: BudgetLeases
}

export interface LeaseHistoryOptions {
  readonly figures: LeaseFigures
  /** The number of processes; two to four, unless given. */
  readonly processes?: number
  /** The store that they share; a table in memory, unless given. */
  readonly share?: (clock: FakeClock) => SharedBudgets
  /** The wall time at which it begins: that of the store, where that has a clock of its own. */
  readonly startMs?: number
}

const VALID_MS = 10_000
const INTENTS_OF_SEED = 100_000

/** Holds and settlements by several processes that share budgets, whose messages are lost and who die and stall. */
export class LeaseHistory {
  readonly #random
  readonly #figures: LeaseFigures
  readonly #clock: FakeClock
  readonly #shared: SharedBudgets
  readonly #processes: number
  readonly #nodes: Node[] = []
  readonly #budgets: readonly Budget[]
  readonly #intents: Intent[] = []
  /** The sums of rows, by counter and window. */
  readonly #counted = new Map<string, number>()
  #fault: 'none' | 'lose-order' | 'lose-answer' = 'none'
  /** The orders that the store has not answered yet. */
  #asked = 0
  #nextIntent: number

  constructor(seed: number, { figures, processes, share = shareInMemory, startMs }: LeaseHistoryOptions) {
    this.#clock = createFakeClock(startMs)
    this.#random = createSeededRandom(seed)
    this.#figures = figures
    this.#shared = share(this.#clock)
    this.#budgets = [this.#createBudget(`a-${seed}`, 'total'), this.#createBudget(`b-${seed}`, 'rolling')]
    this.#processes = processes ?? 2 + this.#below(3)
    this.#nextIntent = seed * INTENTS_OF_SEED
  }

  async run(steps: number): Promise<void> {
    for (let index = 0; index < this.#processes; index += 1) this.#nodes.push(await this.#startNode())
    for (let step = 0; step < steps; step += 1) {
      await this.#step()
      this.#check(step)
    }
    for (const { leases } of this.#nodes) await leases.stop()
    await this.#checkStore()
  }

  async #step(): Promise<void> {
    const node = this.#nodes[this.#below(this.#nodes.length)]
    if (node === undefined) return
    const dice = this.#below(20)
    if (dice < 10) await this.#hold(node)
    else if (dice < 16) await this.#settle()
    else if (dice < 17) await this.#advance(this.#below(4_000))
    else if (dice < 18) await this.#end(node)
    else this.#fault = (['none', 'none', 'lose-order', 'lose-answer'] as const)[this.#below(4)] ?? 'none'
  }

  /** Several at once, so that one takes what another was granted. */
  async #hold(node: Node): Promise<void> {
    const many = 1 + this.#below(4)
    const { epoch } = node
    await Promise.all(
      Array.from({ length: many }, async () => {
        const fixed = nano(1 + this.#below(200))
        const worst = { fixed, outputRate: nano(0), maxOutputTokens: 0, minOutput: 0, canClamp: false }
        const budgets = this.#budgets.slice(this.#below(2)).map((budget) => ({ budget }))
        const asked = node.leases.hold({ budgets, worst: { ...worst, multiplierPpm: 1_000_000 } })
        const result = asked instanceof Promise ? await this.#untilSettled(asked) : asked
        if (result.type === 'leases-away') this.#figures.away += 1
        else if (result.type === 'refused') this.#figures.refused += 1
        else if (node.epoch !== epoch) this.#figures.away += 1
        else {
          this.#figures.held += 1
          await this.#intend(epoch, result.hold)
        }
      }),
    )
  }

  async #intend(epoch: Epoch, hold: Hold): Promise<void> {
    const { amounts } = hold
    this.#nextIntent += 1
    const intent = { number: this.#nextIntent, epoch, hold, amounts }
    await this.#shared.intend(epoch, { number: intent.number, held: amounts })
    this.#intents.push(intent)
  }

  async #settle(): Promise<void> {
    const [intent] = this.#intents.splice(this.#below(Math.max(1, this.#intents.length)), 1)
    if (intent === undefined) return
    const { epoch, hold, number } = intent
    const amount = nano(this.#below(hold.worst.cost + 1))
    const counted = hold.settle({ cost: amount, charged: amount })
    await this.#shared.settle(epoch, { number, counted })
    for (const each of counted) {
      this.#counted.set(keyOf(each), (this.#counted.get(keyOf(each)) ?? 0) + each.amount)
    }
    this.#figures[this.#nodes.some((node) => node.epoch === epoch) ? 'settled' : 'late'] += 1
  }

  /** Others take a process for dead; it may only have stalled, and then it begins again. */
  async #end(node: Node): Promise<void> {
    this.#figures.ended += 1
    await this.#shared.end(node.epoch)
    void node.leases.stop()
    Object.assign(node, await this.#startNode())
  }

  async #startNode(): Promise<Node> {
    const epoch = await this.#shared.begin()
    const leases = new BudgetLeases({
      store: this.#unreliable(),
      clock: this.#clock,
      nowMs: () => this.#clock.nowMs(),
      askOthers: (counters) => {
        for (const counter of counters) for (const node of this.#nodes) node.leases.onOthersNeed(counter)
      },
      onEpochEnded: () => undefined,
    })
    const meter = new BudgetMeter({ isShared: true, onFreed: leases.onFreed })
    leases.begin(epoch, meter, this.#clock.monotonicMs() + VALID_MS)
    return { epoch, meter, leases }
  }

  #unreliable(): MeterStore {
    return {
      readOthers: (epoch, counters) => this.#shared.readOthers(epoch, counters),
      findTopValues: (budget, limit) => this.#shared.findTopValues(budget, limit),
      lease: async (epoch, order) => {
        const fault = this.#fault
        this.#fault = 'none'
        if (fault !== 'none') this.#figures.lostAnswers += 1
        if (fault === 'lose-order') throw new Error('lost')
        this.#asked += 1
        const leases = await this.#shared.lease(epoch, order).finally(() => {
          this.#asked -= 1
        })
        await nextTurn()
        if (fault === 'lose-answer') throw new Error('lost')
        return leases
      },
    }
  }

  async #untilSettled<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false
    void promise.finally(() => {
      isSettled = true
    })
    for (let turn = 0; !isSettled && turn < 1_000; ) {
      await nextTurn()
      await nextTurn()
      // A store that works takes its time, in which the clock stands.
      if (isSettled || this.#asked > 0) continue
      turn += 1
      this.#move(10)
    }
    return promise
  }

  async #advance(milliseconds: number): Promise<void> {
    this.#move(milliseconds)
    await nextTurn()
  }

  #move(milliseconds: number): void {
    this.#clock.advance(milliseconds)
    for (const { leases } of this.#nodes) leases.renewed(this.#clock.monotonicMs() + VALID_MS)
  }

  /** Fails where what rows have counted and durable intents hold is over the limit. */
  #check(step: number): void {
    const nowMs = this.#clock.nowMs()
    for (const { id, limit = 0, window } of this.#budgets) {
      const lengthMs = window.type === 'rolling' ? window.lengthMs : Number.POSITIVE_INFINITY
      const partMs = lengthMs / 60
      let total = 0
      for (const [key, amount] of this.#counted) {
        const [startMs = 0, counter] = splitKey(key)
        if (counter === id && startMs + partMs + lengthMs > nowMs) total += amount
      }
      for (const { amounts } of this.#intents)
        for (const each of amounts)
          if (each.counter === id && (each.windowEndMs ?? Number.POSITIVE_INFINITY) > nowMs)
            total += each.amount
      if (total > limit) throw new Error(`step ${step}: ${id} has counted and held ${total} of ${limit}`)
    }
  }

  /** Fails where the store has another sum of the budget without a window than its rows have. */
  async #checkStore(): Promise<void> {
    const counter = String(this.#budgets[0]?.id)
    const windows = await this.#shared.readOthers(brand<Epoch>(0), [counter])
    const stored = windows.reduce((sum, { spent }) => sum + spent, 0)
    const counted = [...this.#counted].filter(([key]) => splitKey(key)[1] === counter)
    const expected = counted.reduce((sum, [, amount]) => sum + amount, 0)
    if (stored !== expected) throw new Error(`the store has ${stored} of ${counter}, its rows ${expected}`)
  }

  #createBudget(name: string, type: 'total' | 'rolling'): Budget {
    const terms: BudgetTerms = {
      name,
      limit: nano(200 + this.#below(5_000)),
      mode: 'exact',
      atLimit: { type: 'refuse' },
      warnAt: [],
      window: type === 'total' ? { type } : { type, lengthMs: 60_000 },
    }
    return { ...terms, id: brand<BudgetId>(`budget-${name}`), name, scope: { type: 'installation' } }
  }

  #below(count: number): number {
    return Math.floor(this.#random.fraction() * count)
  }
}

function keyOf({ counter, windowStartMs }: CounterKey): string {
  return `${windowStartMs} ${counter}`
}

function splitKey(key: string): [number, string] {
  const [start = '', counter = ''] = key.split(' ')
  return [Number(start), counter]
}
