import { writeWindow } from '../../access/limits/budget-terms.ts'
import { usdOf } from '../../access/limits/usd-schema.ts'
import type { Actor, AuditRecord } from '../../canonical/audit.ts'
import type { GatewayError } from '../../canonical/failure.ts'
import { type NanoDollars, writeDollars } from '../../canonical/money.ts'
import { createMutex } from '../../kit/async/create-mutex.ts'
import { brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { type Budget, writeScope } from '../../metering/budget.ts'
import type { BudgetRaise } from '../../metering/budgets/budget-raises.ts'
import type { ResettableWindow } from '../../metering/budgets/window-sum.ts'
import type { CreditStore } from '../../metering/credit-store.ts'
import type { AppliedBudget } from '../../metering/meter.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { readExpiry } from '../expiry-schema.ts'
import { writeNextAfter } from '../paging/list-cursor.ts'
import { readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import type {
  BudgetList,
  BudgetView,
  ListBudgets,
  ListValues,
  RaiseBudget,
  ResetBudget,
  ValueList,
} from './budget-contract.ts'
import type { BudgetControl } from './budget-control.ts'
import { raiseBudgetSchema, resetBudgetSchema } from './budget-input-schema.ts'
import { applyBudget, applyOneBudget, findBudget, isOfEveryValue } from './find-budget.ts'
import { findOfValues, listValues } from './list-values.ts'
import { readBudgetPage } from './page-budgets.ts'
import type { ReachesBudget } from './reach-budgets.ts'

/** The author of a change for the audit log, and the budgets that the author may change. */
export interface BudgetOperator {
  readonly actor: Actor
  readonly reaches: ReachesBudget
}

/**
 * The operations on budgets. `reference` is a budget's name or ID. Every promise resolves after the change is durable
 * and applies to the next request. A budget outside the caller's reach is treated as nonexistent.
 */
export interface BudgetOperations {
  list(query: ListBudgets, reaches: ReachesBudget): Promise<BudgetList>
  get(reference: string, value: string | undefined, reaches: ReachesBudget): Promise<BudgetView>
  /** Lists the values of a tag. Each value has its own budget. */
  values(reference: string, input: ListValues, reaches: ReachesBudget): Promise<ValueList>
  /** Raises a budget's limit until a time. A negative amount lowers it. */
  raise(reference: string, input: RaiseBudget, by: BudgetOperator): Promise<BudgetView>
  /** Resets the amount spent in the window, so that it can be spent again. */
  reset(reference: string, input: ResetBudget, by: BudgetOperator): Promise<BudgetView>
}

export interface BudgetOperationOptions {
  readonly control: BudgetControl
  /** The owner of an entry of `budgets`; undefined for any other budget. */
  readonly ownerOf: (budget: Budget) => 'file' | 'api' | undefined
  readonly store: Pick<CreditStore, 'addChanges' | 'addResets'>
  readonly clock: Clock
  readonly random: Random
}

/** Makes a change durable before it takes effect. Changes run one after another, so that no amount is given twice. */
export function createBudgetOperations(options: BudgetOperationOptions): BudgetOperations {
  const { control, clock } = options
  const mutex = createMutex()
  const reached = (reaches: ReachesBudget) => control.budgets().filter(reaches)
  const find = (reference: string, reaches: ReachesBudget) => findBudget(reached(reaches), reference)
  const view = (applied: AppliedBudget) => viewBudget(applied, options)
  return {
    async list(query, reaches) {
      const { items, next } = await readBudgetPage(reached(reaches), query, control)
      return { data: items.map((budget) => view({ budget })), next_after: writeNextAfter(next) }
    },
    async get(reference, value, reaches) {
      const applied = applyBudget(find(reference, reaches), value)
      await control.learnOthers([applied])
      return view(applied)
    },
    values: async (reference, input, reaches) =>
      listValues(findOfValues(reached(reaches), reference), input, control),
    raise: (reference, input, { actor: by, reaches }) =>
      mutex.run(async () => {
        const budget = find(reference, reaches)
        const { by_usd: amount, until, reason = '' } = readInput(raiseBudgetSchema, input)
        if (budget.limit === undefined) throw unlimited(budget)
        const untilMs = readExpiry(until, clock.nowMs(), 'until')
        const end = untilMs === undefined ? 'for good' : `until ${writeTime(untilMs)}`
        const details = [`by: ${writeDollars(amount)} US dollars ${end}`]
        const raise = {
          type: 'raise',
          amount,
          untilMs,
          ...createBase({ budget, by, reason }, options),
        } as const
        const record = recordOf({ action: 'budget.raise', budget, by, reason, details }, options)
        await options.store.addChanges([raise], record)
        control.apply(raise)
        await control.learnOthers([{ budget }])
        return view({ budget })
      }),
    reset: (reference, input, { actor: by, reaches }) =>
      mutex.run(async () => {
        const { value, reason = '' } = readInput(resetBudgetSchema, input)
        const applied = applyOneBudget(find(reference, reaches), value)
        const { budget } = applied
        await control.learnOthers([applied])
        const windows = control.resettable(applied)
        const details = describeSpent(windows, value)
        const resets = windows.map(
          ({ window, spent }) =>
            ({ type: 'reset', window, spent, ...createBase({ budget, by, reason }, options) }) as const,
        )
        if (resets.length === 0) return view(applied)
        const record = recordOf({ action: 'budget.reset', budget, by, reason, details }, options)
        for (const made of await options.store.addResets(resets, record)) control.apply(made)
        return view(applied)
      }),
  }
}

function describeSpent(windows: readonly ResettableWindow[], value: string | undefined): readonly string[] {
  const spent = brand<NanoDollars>(windows.reduce((sum, { amount }) => sum + amount, 0))
  const until = `spent until then: ${writeDollars(spent)} US dollars`
  return value === undefined ? [until] : [until, `value: ${value}`]
}

interface ChangeOrder {
  readonly budget: Budget
  readonly by: Actor
  readonly reason: string
}

type ChangeParts = Pick<BudgetOperationOptions, 'clock' | 'random'>

/** The fields that every change has. */
function createBase({ budget, by, reason }: ChangeOrder, { clock, random }: ChangeParts) {
  const id = `change_${random.bytes(12).toString('hex')}`
  return { id, budgetId: budget.id, reason, author: by.author, atMs: clock.nowMs() }
}

interface RecordedChange extends ChangeOrder {
  readonly action: 'budget.raise' | 'budget.reset'
  readonly details: readonly string[]
}

function recordOf(
  { action, budget, by, reason, details }: RecordedChange,
  { clock }: ChangeParts,
): AuditRecord {
  const because = reason === '' ? [] : [`reason: ${reason}`]
  const all = [`name: ${budget.name}`, ...details, ...because]
  return { ...by, action, subject: budget.id, details: all, atMs: clock.nowMs() }
}

function unlimited({ name }: Budget): GatewayError {
  const message = `The budget "${name}" is unlimited, so that there is nothing to raise.`
  const fact = { code: 'nothing_to_raise', values: {} } as const
  return refuseField('invalid_field', { param: 'by_usd', message, fact })
}

function viewRaise({ amount, untilMs, reason, author, atMs }: BudgetRaise): BudgetView['raises'][number] {
  const until = writeTimeOrNull(untilMs)
  return {
    by_usd: usdOf(amount),
    until,
    reason,
    author,
    author_fact: viewAuthor(author),
    at: writeTime(atMs),
  }
}

function viewBudget(
  { budget, tagValue }: AppliedBudget,
  { control, ownerOf }: Pick<BudgetOperationOptions, 'control' | 'ownerOf'>,
): BudgetView {
  const { window, atLimit } = budget
  const isNamed = tagValue !== undefined || !isOfEveryValue(budget)
  const status = isNamed ? control.status({ budget, tagValue }) : undefined
  const { limit, raises } = control.raised(budget)
  return {
    name: budget.name,
    id: budget.id,
    scope: writeScope(budget.scope),
    value: tagValue ?? null,
    owner: ownerOf(budget) ?? null,
    window: writeWindow(window),
    time_zone: window.type === 'calendar' ? window.timeZone : null,
    mode: budget.mode,
    at_limit: atLimit.type,
    fallback: atLimit.type === 'fallback' ? atLimit.model : null,
    limit_usd: limit === undefined ? 'unlimited' : usdOf(limit),
    base_limit_usd: budget.limit === undefined ? 'unlimited' : usdOf(budget.limit),
    warn_at: [...budget.warnAt],
    raises: raises.map(viewRaise),
    spent_usd: status === undefined ? null : usdOf(status.spent),
    held_usd: status === undefined ? null : usdOf(status.held),
    remaining_usd: status?.remaining === undefined ? null : usdOf(status.remaining),
    resets_at: writeTimeOrNull(status?.resetsAtMs),
  }
}
