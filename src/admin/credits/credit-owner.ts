import type { Key } from '../../access/key.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { BudgetScope } from '../../metering/budget.ts'

/** The directory of those who may have credit. */
export interface OwnerDirectory {
  /** All keys, revoked ones included. */
  keys(): readonly Pick<Key, 'id' | 'name' | 'revokedAtMs'>[]
  groups(): readonly { readonly name: string }[]
}

export interface NamedOwner {
  readonly key?: string | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
}

/** Undefined where none is named. A key's credit is of its id, so that it stays with the key when that is renamed. */
export function findOwner(
  { key, user, group }: NamedOwner,
  directory: OwnerDirectory,
): BudgetScope | undefined {
  if (key !== undefined) return { type: 'key', name: findKey(key, directory) }
  if (user !== undefined) return { type: 'user', name: user }
  if (group === undefined) return undefined
  if (directory.groups().some(({ name }) => name === group)) return { type: 'group', name: group }
  const message = `"group": there is no group ${JSON.stringify(group)}.`
  throw new GatewayError('invalid_field', { param: 'group', message })
}

function findKey(reference: string, directory: OwnerDirectory): string {
  const keys = directory.keys()
  const isNamed = ({ name, revokedAtMs }: (typeof keys)[number]) =>
    name === reference && revokedAtMs === undefined
  const found = keys.find(({ id }) => id === reference) ?? keys.find(isNamed)
  if (found === undefined) throw new GatewayError('key_not_found', { param: 'key' })
  return found.id
}

/** The owner's name for people, such as `key:ci`. */
export function writeOwner(scope: BudgetScope, directory: OwnerDirectory): string {
  if (scope.type === 'installation') return scope.type
  if (scope.type !== 'key') return `${scope.type}:${scope.name}`
  const key = directory.keys().find(({ id }) => id === scope.name)
  return `key:${key?.name ?? scope.name}`
}
