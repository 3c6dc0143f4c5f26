import type { MeWithOperations } from '../../../src/admin/people/people-contract.ts'

/** An operation of the admin API: the method, and the path below `/admin/v1` as its documentation has it. */
export type Operation = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** The parts of the pages that the user is offered. The gateway decides; a page leaves out what it would refuse. */
export interface Permissions {
  may(operation: Operation): boolean
  /** Everything of the installation is shown, not only what is one's own. */
  readonly seesAll: boolean
  /** A group is managed: its keys, members and usage are shown. */
  readonly managesGroups: boolean
}

export function permissionsOf({
  operations,
  groups,
}: Pick<MeWithOperations, 'operations' | 'groups'>): Permissions {
  const permitted = new Set(operations)
  const may = (operation: Operation) => permitted.has(operation.replace(' ', ' /admin/v1'))
  // Users are listed to those alone who see all.
  return { may, seesAll: may('GET /users'), managesGroups: groups.some(({ manager }) => manager) }
}
