import type { BudgetTerms } from '../../src/access/limits/budget-terms.ts'
import { brand } from '../../src/kit/brand.ts'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { nextTurn } from '../../src/kit/time/clock.ts'
import type { Budget, BudgetId } from '../../src/metering/budget.ts'
import { BudgetMeter } from '../../src/metering/budgets/budget-meter.ts'
import { BudgetLeases } from '../../src/metering/leases/budget-leases.ts'
import { LeaseTable } from '../../src/metering/leases/lease-table.ts'
import type { Epoch, MeterStore } from '../../src/metering/leases/meter-store.ts'
import type { CounterKey, HeldAmount } from '../../src/metering/ledger-row.ts'
import type { Hold } from '../../src/metering/meter.ts'
import { createFakeClock, type FakeClock } from './fake-clock.ts'
import { nano } from './ledger-row.ts'

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
  readonly epoch: Epoch
  readonly hold: Hold
  readonly amounts: readonly HeldAmount[]
}

interface Node {
  epoch: Epoch
  meter: BudgetMeter
  leases: BudgetLeases
}

const VALID_MS = 10_000

/** Holds and settlements by several processes that share budgets, whose messages are lost and who die and stall. */
export class LeaseHistory {
  readonly #random
  readonly #figures: LeaseFigures
  readonly #clock: FakeClock = createFakeClock()
  readonly #table: LeaseTable
  readonly #nodes: Node[] = []
  readonly #budgets: readonly Budget[]
  readonly #intents: Intent[] = []
  /** The sums of rows, by counter and window. */
  readonly #counted = new Map<string, number>()
  #fault: 'none' | 'lose-order' | 'lose-answer' = 'none'

  constructor(seed: number, figures: LeaseFigures) {
    this.#random = createSeededRandom(seed)
    this.#figures = figures
    this.#table = new LeaseTable(() => this.#clock.nowMs())
    this.#budgets = [this.#createBudget('a', 'total'), this.#createBudget('b', 'rolling')]
    for (let index = 0; index < 2 + this.#below(3); index += 1) this.#nodes.push(this.#startNode())
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.#step()
      this.#check(step)
    }
    for (const { leases } of this.#nodes) await leases.stop()
  }

  async #step(): Promise<void> {
    const node = this.#nodes[this.#below(this.#nodes.length)]
    if (node === undefined) return
    const dice = this.#below(20)
    if (dice < 10) await this.#hold(node)
    else if (dice < 16) this.#settle()
    else if (dice < 17) await this.#advance(this.#below(4_000))
    else if (dice < 18) this.#end(node)
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
          this.#intents.push({ epoch, hold: result.hold, amounts: result.hold.amounts })
        }
      }),
    )
  }

  #settle(): void {
    const [intent] = this.#intents.splice(this.#below(Math.max(1, this.#intents.length)), 1)
    if (intent === undefined) return
    const { epoch, hold, amounts } = intent
    const amount = nano(this.#below(hold.worst.cost + 1))
    const counted = hold.settle({ cost: amount, charged: amount })
    for (const [index, each] of counted.entries()) {
      const held = amounts[index]?.amount ?? 0
      this.#table.count(epoch, { ...each, held })
      this.#counted.set(keyOf(each), (this.#counted.get(keyOf(each)) ?? 0) + each.amount)
    }
    this.#figures[this.#nodes.some((node) => node.epoch === epoch) ? 'settled' : 'late'] += 1
  }

  /** Others take a process for dead; it may only have stalled, and then it begins anew. */
  #end(node: Node): void {
    this.#figures.ended += 1
    const { epoch } = node
    this.#table.end(epoch, (window) => this.#heldIn(window, epoch))
    void node.leases.stop()
    Object.assign(node, this.#startNode())
  }

  #startNode(): Node {
    const epoch = this.#table.begin()
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
      readOthers: (epoch, counters) => this.#table.readOthers(epoch, counters),
      lease: async (epoch, order) => {
        const fault = this.#fault
        this.#fault = 'none'
        if (fault !== 'none') this.#figures.lostAnswers += 1
        if (fault === 'lose-order') throw new Error('lost')
        const leases = await this.#table.lease(epoch, order)
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
    for (let turn = 0; !isSettled && turn < 1_000; turn += 1) {
      await nextTurn()
      await nextTurn()
      if (!isSettled) this.#move(10)
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

  #heldIn({ counter, windowStartMs }: CounterKey, epoch: Epoch): number {
    let held = 0
    for (const intent of this.#intents)
      if (intent.epoch === epoch)
        for (const each of intent.amounts)
          if (each.counter === counter && each.windowStartMs === windowStartMs) held += each.amount
    return held
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
