import type { RateTerms } from '../../access/limits/rate-schema.ts'
import { usdOf } from '../../access/limits/usd-schema.ts'
import { type WrittenRate, writeRate } from '../../access/limits/write-limits.ts'
import { type Budget, isLimiting } from '../../metering/budget.ts'
import { budgetsOfKey, createLimitIndex } from '../../metering/limit-index.ts'
import type { ComparedState, Comparison, FoundEffect } from './comparison.ts'
import type { FieldChange } from './effect-contract.ts'

/** Added, removed and changed budgets and rate limits, and budgets that their new limit exhausts. */
export function compareLimits(comparison: Comparison): readonly FoundEffect[] {
  const { before, after } = comparison
  const [old, next] = [readBudgets(before, after), readBudgets(after, before)]
  const names = [...new Set([...old.keys(), ...next.keys()])]
  return [
    ...names.flatMap((name) => describeSpent(old.get(name), next.get(name), comparison)),
    ...names.flatMap((name) => describeBudget(name, old.get(name), next.get(name))),
    ...compareRates(before, after),
  ]
}

/** The budgets by name. Only budgets of changed keys are included, as there may be ten thousand unchanged keys. */
function readBudgets(state: ComparedState, other: ComparedState): ReadonlyMap<string, Budget> {
  const all = [...createLimitIndex(state.config).configured, ...changedKeys(state, other).flatMap(budgetsOf)]
  return new Map(all.map((budget) => [budget.name, budget]))
}

function budgetsOf(key: ComparedState['keys'][number]): readonly Budget[] {
  return budgetsOfKey({ ...key, keyId: key.id, keyName: key.name })
}

/** Keys that are in both states and not the same. */
export function changedKeys(state: ComparedState, other: ComparedState): ComparedState['keys'] {
  if (state.keys === other.keys) return []
  const byId = new Map(other.keys.map((key) => [key.id, key]))
  return state.keys.filter((key) => {
    const same = byId.get(key.id)
    return same !== undefined && same !== key
  })
}

/** A budget that refuses requests from now on, but did not before. */
function describeSpent(
  before: Budget | undefined,
  after: Budget | undefined,
  { useOf }: Comparison,
): FoundEffect[] {
  if (after === undefined || !isLimiting(after) || after.limit === undefined) return []
  if (after.scope.type === 'tag' && after.scope.value === undefined) return []
  const { spent, raisedBy } = useOf(after)
  const isSpent = ({ limit }: Budget) => limit !== undefined && limit + raisedBy <= spent
  const wasSpent = before !== undefined && before.id === after.id && isLimiting(before) && isSpent(before)
  if (wasSpent || spent === 0 || !isSpent(after)) return []
  return [
    {
      type: 'budget_spent',
      severity: 'breaks',
      budget: after.name,
      limit_usd: usdOf(after.limit),
      spent_usd: usdOf(spent),
    },
  ]
}

function describeBudget(name: string, before: Budget | undefined, after: Budget | undefined): FoundEffect[] {
  if (before !== undefined && after !== undefined && before.limit === after.limit) return []
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'limit'
  return [
    {
      type: 'budget',
      severity: change === 'removed' ? 'adds' : 'changes',
      change,
      budget: name,
      before_usd: before === undefined ? null : writeLimit(before),
      after_usd: after === undefined ? null : writeLimit(after),
    },
  ]
}

function writeLimit({ limit }: Budget): number | 'unlimited' {
  return limit === undefined ? 'unlimited' : usdOf(limit)
}

function compareRates(before: ComparedState, after: ComparedState): FoundEffect[] {
  const [old, next] = [readRates(before, after), readRates(after, before)]
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((limit): FoundEffect[] => {
    const fields = compareTerms(old.get(limit), next.get(limit))
    return fields.length === 0 ? [] : [{ type: 'rate', severity: 'changes', limit, fields: [...fields] }]
  })
}

function readRates(state: ComparedState, other: ComparedState): ReadonlyMap<string, RateTerms> {
  const { rates, groups, users } = state.config
  const named: readonly (readonly [string, RateTerms | undefined])[] = [
    ['installation', rates.installation],
    ...[...rates.models].map(([name, rate]) => [`model:${name}`, rate] as const),
    ...groups.map(({ name, rate }) => [`group:${name}`, rate] as const),
    ...users.map(({ name, rate }) => [`user:${name}`, rate] as const),
    ...changedKeys(state, other).map(({ name, rate }) => [`key:${name}`, rate] as const),
  ]
  return new Map(named.flatMap(([name, rate]) => (rate === undefined ? [] : [[name, rate] as const])))
}

const rateFields = ['rpm', 'tpm', 'input_tpm', 'output_tpm', 'concurrency', 'burst', 'wait'] as const

function compareTerms(before: RateTerms | undefined, after: RateTerms | undefined): readonly FieldChange[] {
  const [old, next] = [writeTerms(before), writeTerms(after)]
  return rateFields
    .map((field) => ({ field, before: textOf(old[field]), after: textOf(next[field]) }))
    .filter((change) => change.before !== change.after)
}

function writeTerms(rate: RateTerms | undefined): WrittenRate {
  return rate === undefined ? {} : writeRate(rate)
}

function textOf(value: string | number | undefined): string | null {
  return value === undefined ? null : String(value)
}
