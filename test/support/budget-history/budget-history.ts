import type { Budget } from '../../../src/metering/budget.ts'
import { countedAmount } from '../../../src/metering/budget.ts'
import { BudgetMeter, type BudgetStatus } from '../../../src/metering/budgets/budget-meter.ts'
import { writeCounterId } from '../../../src/metering/budgets/counter-id.ts'
import { MonotonicWallTime } from '../../../src/metering/budgets/monotonic-wall-time.ts'
import type { BudgetChange } from '../../../src/metering/credit-store.ts'
import { settleOrphan } from '../../../src/metering/ledger/settle-orphan.ts'
import type { HeldAmount } from '../../../src/metering/ledger-row.ts'
import type { AppliedBudget, BudgetCorrection, Hold } from '../../../src/metering/meter.ts'
import { type Chance, createChance } from '../../long/create-chance.ts'
import { createLedgerIntent, nano } from '../ledger-row.ts'
import { checkCap, checkHeld, checkRefusal, expectThat } from './check-hold.ts'
import {
  type ChosenRequest,
  chooseBudgets,
  chooseLimit,
  chooseMoment,
  chooseRequest,
  priceOf,
  timeZones,
} from './chosen-budgets.ts'
import { checkCorrected, chooseDifferences, type Estimate, takenBack } from './chosen-corrections.ts'
import { amountsOf, costOf, multiplied } from './reference-amounts.ts'
import { ReferenceLedger } from './reference-ledger.ts'

/** The number of times that each thing happened, so that a history in which little happens is seen. */
export interface HistoryFigures {
  steps: number
  held: number
  clamped: number
  refused: number
  settled: number
  /** Settled after the window of its hold was over. */
  late: number
  corrected: number
  crashes: number
  clockChanges: number
  limitChanges: number
}

export function createHistoryFigures(): HistoryFigures {
  return {
    steps: 0,
    held: 0,
    clamped: 0,
    refused: 0,
    settled: 0,
    late: 0,
    corrected: 0,
    crashes: 0,
    clockChanges: 0,
    limitChanges: 0,
  }
}

interface LiveAttempt {
  readonly hold: Hold
  readonly amounts: readonly HeldAmount[]
  readonly budgets: readonly AppliedBudget[]
  readonly request: ChosenRequest
  readonly maxOutputTokens: number
}

const TAG_VALUES = ['search', 'a/b=c', '100%']
const DAY_MS = 86_400_000

/** Holds, settlements, crashes and changes of clocks and limits by chance; throws where the meter is wrong. */
export class BudgetHistory {
  readonly #chance: Chance
  readonly #figures: HistoryFigures
  readonly #ledger = new ReferenceLedger()
  readonly #budgets: Budget[]
  readonly #changes: BudgetChange[] = []
  /** The amount that each exact budget had spent and held at the step before, and its window. */
  readonly #before = new Map<string, { readonly total: number; readonly windowStartMs: number }>()
  #monotonicMs = 0
  readonly #clock = { monotonicMs: () => this.#monotonicMs }
  #meter = new BudgetMeter({ clock: this.#clock })
  #time = new MonotonicWallTime(this.#clock)
  #live: LiveAttempt[] = []
  #estimates: Estimate[] = []
  /** Corrections whose rows are on their way to the store. */
  #corrections: BudgetCorrection[] = []
  #wallMs: number
  /** The process started while the clock showed less than before: what it knows of is of two times at once. */
  #isMixed = false

  constructor(seed: number, figures: HistoryFigures) {
    this.#chance = createChance(seed)
    this.#figures = figures
    this.#budgets = [...chooseBudgets(this.#chance)]
    this.#wallMs = chooseMoment(this.#chance)
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      this.#step()
      this.#figures.steps += 1
      this.#check()
    }
    while (this.#live.length > 0) this.#settle()
    while (this.#corrections.length > 0) this.#endCorrection()
    this.#check()
    for (const applied of this.#all()) expectThat(this.#status(applied).held === 0, 'something stays held')
  }

  #step(): void {
    const kind = this.#chance.next()
    if (kind < 0.42) this.#hold()
    else if (kind < 0.66) this.#settle()
    else if (kind < 0.7) this.#correct()
    else if (kind < 0.72) this.#endCorrection()
    else if (kind < 0.87) this.#pass(Math.floor(10 ** (this.#chance.next() * 9.3)))
    else if (kind < 0.9) this.#setBack()
    else if (kind < 0.94) this.#changeBudget()
    else if (kind < 0.97) this.#changeLimit()
    else this.#crash()
  }

  #hold(): void {
    const chance = this.#chance
    const request = chooseRequest(chance)
    const budgets = this.#budgets
      .filter(() => chance.next() < 0.8)
      .map((budget) => ({ budget, tagValue: this.#tagValueOf(budget, chance.pick(TAG_VALUES)) }))
    const before = budgets.map((applied) => this.#status(applied))
    const result = this.#meter.hold({ budgets, worst: request.worst }, this.#wallMs)
    if (result.type === 'refused') {
      this.#figures.refused += 1
      const index = budgets.findIndex(({ budget }) => budget === result.budget)
      checkRefusal(result.budget, before[index], request)
      for (const [each, applied] of budgets.entries())
        expectThat(this.#status(applied).held === before[each]?.held, 'a refused request holds something')
      return
    }
    this.#figures.held += 1
    if (result.isClamped) this.#figures.clamped += 1
    const maxOutputTokens = result.maxOutputTokens ?? request.worst.maxOutputTokens ?? 10_000
    const after = budgets.map((applied) => this.#status(applied))
    checkHeld({ budgets, before, after }, amountsOf(request.worst, maxOutputTokens))
    checkCap(result, request)
    this.#live.push({ hold: result.hold, amounts: result.hold.amounts, budgets, request, maxOutputTokens })
  }

  #settle(): void {
    const chance = this.#chance
    const [attempt] = this.#live.splice(chance.upTo(this.#live.length), 1)
    if (attempt === undefined) return
    const { hold, amounts, budgets, request, maxOutputTokens } = attempt
    const isVoid = chance.next() < 0.15
    const output = isVoid ? 0 : chance.upTo(maxOutputTokens + 1)
    const input = isVoid ? 0 : chance.upTo(request.inputTokens + 1)
    const { outputRate, multiplierPpm } = request.worst
    const { inputRate } = request
    const cost = costOf([
      [input, inputRate],
      [output, outputRate],
    ])
    const asked = multiplied(cost, multiplierPpm) * (chance.next() < 0.1 ? 3 : 1)
    const charged = Math.min(asked, hold.maxCharged)
    const counted = hold.settle({ cost: nano(cost), charged: nano(asked) })
    hold.settle({ cost: nano(1e12), charged: nano(1e12) })
    for (const [index, { budget }] of budgets.entries()) {
      const [each, held] = [counted[index], amounts[index]]
      const expected = countedAmount(budget.scope) === 'cost' ? cost : charged
      expectThat(each?.amount === expected, 'a budget counts another amount than its row')
      expectThat(each?.counter === held?.counter, 'a budget counts in another counter than it holds')
      expectThat(each?.windowStartMs === held?.windowStartMs, 'a hold is settled in another window')
    }
    this.#figures.settled += 1
    if (counted.some(({ windowEndMs = Number.POSITIVE_INFINITY }) => windowEndMs <= this.#nowMs))
      this.#figures.late += 1
    this.#ledger.add(counted)
    const isBound = amounts.map(({ amount, counts }) => amount > 0 || hold.worst[counts] === 0)
    this.#estimates.push({ counted, isBound })
  }

  #correct(): void {
    const chance = this.#chance
    const [estimate] = this.#estimates.splice(chance.upTo(this.#estimates.length), 1)
    if (estimate === undefined) return
    const differences = chooseDifferences(estimate, chance)
    const correction = this.#meter.correct(differences)
    checkCorrected(correction, differences)
    this.#figures.corrected += 1
    this.#ledger.add(takenBack(correction))
    this.#corrections.push(correction)
    if (chance.next() < 0.5) this.#endCorrection()
  }

  #endCorrection(): void {
    const correction = this.#corrections.pop()
    if (correction === undefined) return
    const isDurable = this.#chance.next() < 0.8
    correction.end(isDurable)
    this.#store(correction, isDurable)
  }

  #store(correction: BudgetCorrection, isDurable: boolean): void {
    if (isDurable) this.#ledger.add(correction.counted.filter(({ amount }) => amount > 0))
    else this.#ledger.add(takenBack(correction).map((each) => ({ ...each, amount: nano(-each.amount) })))
  }

  #pass(ms: number): void {
    this.#wallMs += ms
    this.#monotonicMs += ms
  }

  #setBack(): void {
    this.#figures.clockChanges += 1
    this.#wallMs -= Math.floor(10 ** (this.#chance.next() * 8.5))
  }

  #changeBudget(): void {
    const chance = this.#chance
    const index = chance.upTo(this.#budgets.length)
    const budget = this.#budgets[index]
    if (budget === undefined) return
    this.#figures.limitChanges += 1
    const { window } = budget
    const isMoved = window.type === 'calendar' && chance.next() < 0.3
    const moved = isMoved ? { ...budget, window: { ...window, timeZone: chance.pick(timeZones) } } : budget
    this.#budgets[index] =
      isMoved || budget.limit === undefined ? moved : { ...moved, limit: chooseLimit(chance) }
  }

  #changeLimit(): void {
    const chance = this.#chance
    const budget = chance.pick(this.#budgets)
    const number = this.#changes.length
    const base = {
      id: `change_${number}`,
      budgetId: budget.id,
      reason: '',
      author: 'ada',
      atMs: this.#wallMs,
    }
    this.#figures.limitChanges += 1
    if (chance.next() < 0.6) {
      const untilMs = chance.next() < 0.2 ? undefined : this.#nowMs + chance.upTo(3 * DAY_MS)
      const amount = nano(Math.floor(chooseLimit(chance) * (chance.next() - 0.3)))
      this.#apply({ ...base, type: 'raise', amount, untilMs })
      return
    }
    const tagValue = this.#tagValueOf(budget, chance.pick(TAG_VALUES))
    for (const { amount, window } of this.#meter.resettable({ budget, tagValue }, this.#wallMs)) {
      this.#ledger.forgive(window, amount)
      this.#apply({
        ...base,
        id: `${base.id}/${window.windowStartMs}`,
        type: 'reset',
        window,
        resetAmount: amount,
      })
    }
  }

  #apply(change: BudgetChange): void {
    this.#changes.push(change)
    this.#meter.apply(change)
  }

  /** Settles what was live from its intent, as far as its answer had come; the next process starts from the rows. */
  #crash(): void {
    const chance = this.#chance
    this.#figures.crashes += 1
    for (const { amounts, request, maxOutputTokens } of this.#live) {
      const { inputTokens, worst } = request
      const intent = createLedgerIntent(1, { held: amounts, inputTokens, multiplierPpm: worst.multiplierPpm })
      const open = { intent, outputTokens: chance.upTo(maxOutputTokens + 1) }
      const price = chance.next() < 0.7 ? priceOf(request) : undefined
      this.#ledger.add(settleOrphan(open, { price, nowMs: this.#wallMs }).counted)
    }
    for (const correction of this.#corrections) this.#store(correction, chance.next() < 0.5)
    this.#corrections = []
    this.#isMixed ||= this.#wallMs < this.#time.latestMs
    this.#live = []
    this.#time = new MonotonicWallTime(this.#clock)
    this.#meter = new BudgetMeter({ clock: this.#clock })
    this.#meter.load(this.#ledger.openAt(this.#wallMs))
    for (const change of this.#changes) this.#meter.apply(change)
    if (this.#isMixed) this.#before.clear()
  }

  /**
   * Checks after every step that no exact budget has passed its limit further than it was, and that what is spent are
   * its rows.
   */
  #check(): void {
    for (const applied of this.#all()) {
      const { budget } = applied
      const { spent, held, limit, windowStartMs } = this.#status(applied)
      const counter = writeCounterId({ budgetId: budget.id, tagValue: applied.tagValue })
      expectThat(spent >= 0 && held >= 0, 'less than nothing is spent or held')
      if (!this.#isMixed) {
        expectThat(
          spent === this.#ledger.spentAt(counter, this.#nowMs),
          'what is spent is not the sum of the rows',
        )
      }
      if (budget.mode !== 'exact' || limit === undefined) continue
      const total = spent + held
      expectThat(
        total <= Math.max(limit, this.#maxOf(counter, budget, windowStartMs)),
        'an exact budget is overshot',
      )
      this.#before.set(counter, { total, windowStartMs })
    }
  }

  /**
   * The most that a budget may have beyond its limit: what it had, since limits are lowered. Where the clock was ahead
   * once, a window that begins now may have been spent before its limit was lowered.
   */
  #maxOf(counter: string, { window }: Budget, windowStartMs: number): number {
    const before = this.#before.get(counter)
    const isBegun = window.type !== 'rolling' && before?.windowStartMs !== windowStartMs
    if (this.#isMixed && (before === undefined || isBegun)) return Number.POSITIVE_INFINITY
    return before?.total ?? 0
  }

  #all(): readonly AppliedBudget[] {
    return this.#budgets.flatMap((budget) =>
      this.#tagValueOf(budget, '') === undefined
        ? [{ budget }]
        : TAG_VALUES.map((tagValue) => ({ budget, tagValue })),
    )
  }

  #tagValueOf({ scope }: Budget, value: string): string | undefined {
    return scope.type === 'tag' && scope.value === undefined ? value : undefined
  }

  #status(applied: AppliedBudget): BudgetStatus {
    return this.#meter.status(applied, this.#wallMs)
  }

  get #nowMs(): number {
    return this.#time.at(this.#wallMs)
  }
}
