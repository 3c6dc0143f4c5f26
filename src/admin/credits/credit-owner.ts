import type { Key } from '../../access/key.ts'
import type { Reach } from '../../access/people/principal.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { lazy } from '../../kit/async/lazy.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import type { BudgetScope } from '../../metering/budget.ts'
import { refuseField } from '../view-problem.ts'

/** The directory of those who may have credit. */
export interface OwnerDirectory {
  /** All keys, revoked ones included. */
  keys(): readonly Pick<Key, 'id' | 'name' | 'user' | 'group' | 'revokedAtMs'>[]
  groups(): readonly { readonly name: string }[]
}

export interface NamedOwner {
  readonly key?: string | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
}

/** Undefined if no owner is named. A key's credit belongs to the key's ID, so that it stays when the key is renamed. */
export function findOwner(
  { key, user, group }: NamedOwner,
  directory: OwnerDirectory,
): BudgetScope | undefined {
  if (key !== undefined) return { type: 'key', name: findKey(key, directory) }
  if (user !== undefined) return { type: 'user', name: user }
  if (group === undefined) return undefined
  if (directory.groups().some(({ name }) => name === group)) return { type: 'group', name: group }
  const message = `"group": there is no group ${JSON.stringify(group)}.`
  throw refuseField('invalid_field', {
    param: 'group',
    message,
    fact: unknownName('group', group, undefined),
  })
}

function findKey(reference: string, directory: OwnerDirectory): string {
  const keys = directory.keys()
  const isNamed = ({ name, revokedAtMs }: (typeof keys)[number]) =>
    name === reference && revokedAtMs === undefined
  const found = keys.find(({ id }) => id === reference) ?? keys.find(isNamed)
  if (found === undefined) throw new GatewayError('key_not_found', { param: 'key' })
  return found.id
}

/** Whether a user may see the credit of a scope. Members also see those of their own keys and groups. */
export function createCreditVisibility(
  reach: Reach,
  directory: Pick<OwnerDirectory, 'keys'>,
): (scope: BudgetScope) => boolean {
  if (reach.type === 'all') return () => true
  const own = directory
    .keys()
    .filter(
      ({ user, group }) =>
        user === reach.user || (group !== undefined && reach.managedGroups.includes(group)),
    )
  const keyIds = new Set<string>(own.map(({ id }) => id))
  return (scope) => {
    if (scope.type === 'key') return keyIds.has(scope.name)
    if (scope.type === 'user') return scope.name === reach.user
    return scope.type === 'group' && reach.groups.includes(scope.name)
  }
}

/** The owner's name for people, such as `key:ci`. */
export function writeOwner(scope: BudgetScope, directory: Pick<OwnerDirectory, 'keys'>): string {
  return createOwnerNamer(directory)(scope)
}

/** The same for many owners, with only one pass over the keys. */
export function createOwnerNamer(directory: Pick<OwnerDirectory, 'keys'>): (scope: BudgetScope) => string {
  const names = lazy(() => new Map<string, string>(directory.keys().map(({ id, name }) => [id, name])))
  return (scope) => {
    if (scope.type === 'installation') return scope.type
    if (scope.type !== 'key') return `${scope.type}:${scope.name}`
    return `key:${names().get(scope.name) ?? scope.name}`
  }
}
