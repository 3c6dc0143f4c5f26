import type { Key } from '../../access/key.ts'
import type { OwnReach, Reach } from '../../access/people/principal.ts'
import type { Budget, BudgetScope } from '../../metering/budget.ts'

/** Whether a user may see a budget, or change it. */
export type ReachesBudget = (budget: Pick<Budget, 'scope'>) => boolean

type ReachedKey = Pick<Key, 'name' | 'user' | 'group' | 'revokedAtMs'>

/**
 * A member sees the budgets that limit the member's own keys: of the keys, of the member, and of the member's groups.
 * A manager sees those of the groups' keys as well.
 */
export function createBudgetVisibility(reach: Reach, keys: () => readonly ReachedKey[]): ReachesBudget {
  if (reach.type === 'all') return () => true
  const ofKeys = namesOf(keys(), ({ user, group }) => user === reach.user || isManaged(group, reach))
  return ({ scope }) => hasName(scope, { keys: ofKeys, user: reach.user, groups: reach.groups })
}

/** A manager may change the budgets of a group's keys, but never that of the group, which bounds them. */
export function createBudgetControlReach(reach: Reach, keys: () => readonly ReachedKey[]): ReachesBudget {
  if (reach.type === 'all') return () => true
  const ofKeys = namesOf(keys(), ({ group }) => isManaged(group, reach))
  return ({ scope }) => hasName(scope, { keys: ofKeys, user: undefined, groups: [] })
}

function isManaged(group: string | undefined, { managedGroups }: OwnReach): boolean {
  return group !== undefined && managedGroups.includes(group)
}

function namesOf(keys: readonly ReachedKey[], isReached: (key: ReachedKey) => boolean): ReadonlySet<string> {
  const live = keys.filter((key) => key.revokedAtMs === undefined && isReached(key))
  return new Set(live.map(({ name }) => name))
}

interface ReachedNames {
  readonly keys: ReadonlySet<string>
  readonly user: string | undefined
  readonly groups: readonly string[]
}

function hasName(scope: BudgetScope, { keys, user, groups }: ReachedNames): boolean {
  switch (scope.type) {
    case 'key':
      return keys.has(scope.name)
    case 'user':
      return scope.name === user
    case 'group':
      return groups.includes(scope.name)
    case 'installation':
    case 'model':
    case 'channel':
    case 'tag':
      return false
  }
}
