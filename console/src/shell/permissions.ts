import type { MeWithOperations } from '../../../src/admin/people/people-contract.ts'

/** An operation of the admin API: the method, and the path below `/admin/v1` as in its documentation. */
export type Operation = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** The parts of the pages that the user sees. The gateway decides, and pages leave out what it would refuse. */
export interface Permissions {
  may(operation: Operation): boolean
  /** Whether the user sees the whole installation, not only objects of the user's own. */
  readonly seesAll: boolean
  /** Whether the user manages a group, and so sees its keys, members and usage. */
  readonly managesGroups: boolean
}

export function permissionsOf({
  operations,
  groups,
}: Pick<MeWithOperations, 'operations' | 'groups'>): Permissions {
  const permitted = new Set(operations)
  const may = (operation: Operation) => permitted.has(operation.replace(' ', ' /admin/v1'))
  // Only users who see everything may list users.
  return { may, seesAll: may('GET /users'), managesGroups: groups.some(({ manager }) => manager) }
}
