import type { Reach } from '../../access/people/principal.ts'
import type { User } from '../../access/people/user.ts'
import type { GroupMembers } from '../../access/people/user-store.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { noSuchObject } from '../config/edit-object.ts'
import type { ConfigState } from '../config/live-config.ts'
import { objectKinds } from '../config/object-kind.ts'
import { listObjects } from '../config/view-config.ts'
import { readListCursor, readSort, writeNextAfter } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { pageList } from '../paging/page-list.ts'
import {
  findUser,
  type Operator,
  type PeopleContext,
  recordOf,
  requireOwnerFor,
} from '../people/people-context.ts'
import { readInput } from '../read-input.ts'
import {
  type GroupList,
  type GroupView,
  groupSorts,
  type ListGroups,
  type ListMembers,
  listGroupsSchema,
  listMembersSchema,
  type MemberList,
  type MemberView,
  type PutMember,
  putMemberSchema,
  type RemovedMember,
} from './group-contract.ts'

/**
 * The operations on groups besides those on every object of the configuration. A group outside the caller's reach is
 * treated as nonexistent.
 */
export interface GroupOperations {
  list(query: ListGroups, reach: Reach): Promise<GroupList>
  /** Undefined if there is no such group. */
  find(name: string, reach: Reach): Promise<GroupView | undefined>
  members(name: string, query: ListMembers, reach: Reach): Promise<MemberList>
  /** Puts a user into the group, or changes whether the user manages it. */
  putMember(name: string, user: string, input: PutMember, by: Operator): Promise<MemberView>
  removeMember(name: string, user: string, by: Operator): Promise<RemovedMember>
}

export interface GroupOperationOptions extends Pick<PeopleContext, 'stores' | 'clock' | 'keys'> {
  readonly state: () => ConfigState
}

const MAX_GROUPS_OF_USER = 100

export function createGroupOperations(options: GroupOperationOptions): GroupOperations {
  const { stores, keys } = options
  return {
    async list(input, reach) {
      const params = readInput(listGroupsSchema, input)
      const { by, descending } = readSort(params.sort, groupSorts)
      const { q = '', name, owner, after, limit = DEFAULT_PAGE_ROWS } = params
      const fitting = (await viewGroups(options, reach)).filter(
        (group) =>
          group.name.toLowerCase().includes(q.toLowerCase()) &&
          (name === undefined || group.name === name) &&
          (owner === undefined || group.owner === owner),
      )
      const { items, next } = pageList(fitting, {
        sortValueOf: (group) => (by === 'name' ? group.name : (group[by] ?? 0)),
        idOf: ({ name }) => name,
        descending,
        after: readListCursor(after, by === 'name' ? 'string' : 'number'),
        limit,
      })
      return { data: [...items], next_after: writeNextAfter(next) }
    },
    find: async (name, reach) => (await viewGroups(options, reach)).find((group) => group.name === name),
    async members(name, input, reach) {
      requireGroup(options, name, reach)
      if (!isManaged(name, reach)) throw notManaged()
      const { after, limit = DEFAULT_PAGE_ROWS } = readInput(listMembersSchema, input)
      const { users, next } = await stores.users.list({
        search: undefined,
        role: undefined,
        group: name,
        disabled: undefined,
        sort: 'name',
        descending: false,
        after: readListCursor(after, 'string'),
        limit,
      })
      return { data: users.map((user) => viewMember(user, name)), next_after: writeNextAfter(next) }
    },
    putMember: (name, user, input, by) =>
      changeMember({ name, user, by, manager: readInput(putMemberSchema, input).manager ?? false }, options),
    async removeMember(name, user, by) {
      const removed = await changeMember({ name, user, by, manager: undefined }, options)
      const own = keys().filter((key) => key.user === removed.name && key.group === name)
      const live = own.filter(({ revokedAtMs }) => revokedAtMs === undefined)
      return { group: name, user: removed.name, keys: live.length }
    },
  }
}

/** All groups that a user may see. */
async function viewGroups(
  { stores, keys, state }: GroupOperationOptions,
  reach: Reach,
): Promise<readonly GroupView[]> {
  const members = new Map((await stores.users.countMembers()).map((each) => [each.group, each]))
  const live = keys().filter(({ revokedAtMs }) => revokedAtMs === undefined)
  const keysOf = Map.groupBy(live, ({ group }) => group)
  const { capture } = state().config
  const reached = listObjects(objectKinds.groups, state()).filter(({ name }) => isReached(name, reach))
  return reached.map((group): GroupView => {
    const { members: count, managers } = members.get(group.name) ?? noMembers
    const isShown = isManaged(group.name, reach)
    return {
      ...group,
      members: isShown ? count : null,
      managers: [...managers],
      keys: isShown ? (keysOf.get(group.name)?.length ?? 0) : null,
      capture: capture.groups.get(group.name) ?? capture.bodies,
    }
  })
}

const noMembers: Omit<GroupMembers, 'group'> = { members: 0, managers: [] }

function isReached(name: string, reach: Reach): boolean {
  return reach.type === 'all' || reach.groups.includes(name)
}

function isManaged(name: string, reach: Reach): boolean {
  return reach.type === 'all' || reach.managedGroups.includes(name)
}

function requireGroup({ state }: Pick<GroupOperationOptions, 'state'>, name: string, reach: Reach): void {
  const { groups } = state().config
  if (!isReached(name, reach) || !groups.some((group) => group.name === name))
    throw noSuchObject(objectKinds.groups, name)
}

interface MemberOrder {
  readonly name: string
  readonly user: string
  readonly by: Operator
  /** Undefined removes the user from the group. */
  readonly manager: boolean | undefined
}

async function changeMember(
  { name, user: reference, by, manager }: MemberOrder,
  options: GroupOperationOptions,
): Promise<MemberView> {
  if (manager !== undefined) requireGroup(options, name, { type: 'all' })
  const { users } = options.stores
  const user = await findUser(options, reference)
  requireOwnerFor(by, user.role)
  const isMember = user.groups.some(({ group }) => group === name)
  if (manager === undefined && !isMember) throw noMember(user, name)
  if (manager !== undefined && !isMember && user.groups.length >= MAX_GROUPS_OF_USER) throw tooMany(user)
  const done = manager === undefined ? 'left group' : manager ? 'manager of group' : 'member of group'
  const details = [`name: ${user.name}`, `${done}: ${name}`]
  const record = recordOf(by.actor, options, { action: 'user.change', subject: user.id, details })
  if (!(await users.changeMembership(user.id, { group: name, manager }, record)))
    throw new GatewayError('user_not_found')
  return { ...viewMember(user, name), manager: manager ?? false }
}

function viewMember({ id, name, role, disabled, groups }: User, group: string): MemberView {
  const manager = groups.some((each) => each.group === group && each.manager)
  return { id, name, role, status: disabled ? 'disabled' : 'active', manager }
}

function noMember({ name }: User, group: string): GatewayError {
  const message = `The user "${name}" is not in the group "${group}".`
  return refuse('user_not_found', {
    param: 'user',
    message,
    fact: { code: 'not_in_group', values: { name, group } },
  })
}

function tooMany({ name }: User): GatewayError {
  const message = `The user "${name}" is in ${MAX_GROUPS_OF_USER} groups already, which is as many as there may be.`
  return refuse('invalid_field', {
    param: 'user',
    message,
    fact: { code: 'groups_over_limit', values: { name, maximum: MAX_GROUPS_OF_USER } },
  })
}

function notManaged(): GatewayError {
  return refuse('not_permitted', {
    message: 'The members of a group are for its managers to see. Ask one of them.',
    fact: { code: 'only_for_managers', values: {} },
  })
}
