import type { Me } from '../../../src/admin/people/people-contract.ts'

/** The parts of the pages that somebody is offered. The gateway decides; a page only leaves out what it would refuse. */
export interface Permissions {
  /** Everything of the installation is shown, not only what is one's own. */
  readonly seesAll: boolean
  /** Channels, models, budgets, users and all keys can be changed. */
  readonly manages: boolean
  /** Keys of one's own can be made. */
  readonly makesKeys: boolean
  readonly isOwner: boolean
  /** A group is managed: its keys, members and usage are shown. */
  readonly managesGroups: boolean
}

export function permissionsOf({ role, groups }: Pick<Me, 'role' | 'groups'>): Permissions {
  const managesGroups = groups.some(({ manager }) => manager)
  const manages = role === 'owner' || role === 'admin'
  return {
    seesAll: role !== 'member',
    manages,
    makesKeys: role !== 'viewer',
    isOwner: role === 'owner',
    managesGroups,
  }
}
