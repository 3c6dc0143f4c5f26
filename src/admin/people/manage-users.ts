import type { Key } from '../../access/key.ts'
import type { LinkedIdentity, Membership, User } from '../../access/people/user.ts'
import { userSorts } from '../../access/people/user-store.ts'
import type { AuditAction } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { readListCursor, readSort, writeNextAfter } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import { findUser, type Operator, type PeopleContext, recordOf, requireOwnerFor } from './people-context.ts'
import type { ChangedUser, DeletedUser, MovedKeys, UserList, UserView } from './people-contract.ts'
import {
  type ChangeUser,
  changeUserSchema,
  type DeleteUser,
  deleteUserSchema,
  type ListUsers,
  listUsersSchema,
} from './people-input-schema.ts'

/** The operations on users. `reference` is an ID or a name. */
export interface UserOperations {
  list(query: ListUsers): Promise<UserList>
  get(reference: string): Promise<UserView>
  change(reference: string, change: ChangeUser, by: Operator): Promise<ChangedUser>
  /** Deletes the user permanently. If the user has keys, the caller must choose what happens to them. */
  delete(reference: string, choice: DeleteUser, by: Operator): Promise<DeletedUser>
}

export function createUserOperations(context: PeopleContext): UserOperations {
  return {
    list: (query) => listUsers(query, context),
    get: async (reference) => viewUser(await findUser(context, reference)),
    change: (reference, change, by) => changeUser({ reference, change, by }, context),
    delete: (reference, choice, by) => deleteUser({ reference, choice, by }, context),
  }
}

async function listUsers(input: ListUsers, { stores }: PeopleContext): Promise<UserList> {
  const { q, role, group, status, sort, limit = DEFAULT_PAGE_ROWS, after } = readInput(listUsersSchema, input)
  const { by, descending } = readSort(sort, userSorts)
  const { users, next } = await stores.users.list({
    search: q,
    role,
    group,
    disabled: status === undefined ? undefined : status === 'disabled',
    sort: by,
    descending,
    after: readListCursor(after, by === 'name' ? 'string' : 'number'),
    limit,
  })
  return { data: users.map(viewUser), next_after: writeNextAfter(next) }
}

export function viewUser(user: User): UserView {
  return {
    id: user.id,
    name: user.name,
    role: user.role,
    groups: user.groups.map((each) => ({ ...each })),
    status: user.disabled ? 'disabled' : 'active',
    second_factor: user.totp?.type === 'confirmed',
    password: user.password !== undefined,
    identity: viewIdentity(user.identity),
    created_at: writeTime(user.createdAtMs),
    created_by: user.createdBy,
    created_by_fact: viewAuthor(user.createdBy),
    last_sign_in_at: writeTimeOrNull(user.lastSignInAtMs),
  }
}

export function viewIdentity(identity: LinkedIdentity | undefined): UserView['identity'] {
  if (identity === undefined) return null
  const { issuer, subject, email = null, linkedAtMs } = identity
  return { issuer, subject, email, linked_at: writeTime(linkedAtMs) }
}

type GroupsInput = readonly { readonly group: string; readonly manager?: boolean | undefined }[]

/** Each must be a group of the configuration, if the configuration is known. */
export function readGroups(
  input: GroupsInput,
  { groups }: Pick<PeopleContext, 'groups'>,
): readonly Membership[] {
  const known = groups()
  return input.map(({ group, manager = false }) => {
    if (known === undefined || known.has(group)) return { group, manager }
    const nearest = nearestName(group, known.keys())
    const advice =
      nearest === undefined ? 'add it to "groups" of the configuration.' : `did you mean "${nearest}"?`
    const message = `"groups": there is no group "${group}"; ${advice}`
    throw refuseField('invalid_field', {
      param: 'groups',
      message,
      fact: unknownName('group', group, nearest),
    })
  })
}

interface UserChangeOrder {
  readonly reference: string
  readonly change: ChangeUser
  readonly by: Operator
}

async function changeUser(
  { reference, change: input, by }: UserChangeOrder,
  context: PeopleContext,
): Promise<ChangedUser> {
  const { keys, ...wanted } = readInput(changeUserSchema, input)
  const user = await findUser(context, reference)
  requireOwnerFor(by, user.role, wanted.role)
  const groups = wanted.groups === undefined ? undefined : readGroups(wanted.groups, context)
  const plan = wanted.disabled === true ? await planKeys(user, keys, context) : undefined
  const change = {
    ...(wanted.role !== undefined && { role: wanted.role }),
    ...(groups !== undefined && { groups }),
    ...(wanted.disabled !== undefined && { disabled: wanted.disabled }),
  }
  const action = actionOf(user, wanted.disabled)
  const details = [`name: ${user.name}`, ...describeChange(change)]
  const record = recordOf(by.actor, context, { action, subject: user.id, details })
  if (!(await context.stores.users.change(user.id, change, record))) throw new GatewayError('user_not_found')
  if (change.role === 'owner') context.onOwner()
  const moved = plan === undefined ? null : await moveKeys(plan, by, context)
  return { ...viewUser(await findUser(context, user.id)), keys: moved }
}

function actionOf(user: User, disabled: boolean | undefined): AuditAction {
  if (disabled === undefined || disabled === user.disabled) return 'user.change'
  return disabled ? 'user.disable' : 'user.enable'
}

interface Described {
  readonly role?: string
  readonly groups?: readonly Membership[]
  readonly disabled?: boolean
}

function describeChange({ role, groups, disabled }: Described): readonly string[] {
  return [
    ...(role === undefined ? [] : [`role: ${role}`]),
    ...(groups === undefined ? [] : [describeGroups(groups)]),
    ...(disabled === undefined ? [] : [disabled ? 'disabled' : 'enabled']),
  ]
}

export function describeGroups(groups: readonly Membership[]): string {
  const names = groups.map(({ group, manager }) => (manager ? `${group} (manager)` : group))
  return `groups: ${names.join(', ') || 'none'}`
}

interface UserDeletion {
  readonly reference: string
  readonly choice: DeleteUser
  readonly by: Operator
}

/**
 * Disables the user first, which ends all access, then handles the keys, then the rest. If a step fails, the request
 * can be repeated.
 */
async function deleteUser(
  { reference, choice, by }: UserDeletion,
  context: PeopleContext,
): Promise<DeletedUser> {
  const { keys: keysChoice } = readInput(deleteUserSchema, choice)
  const { users } = context.stores
  const user = await findUser(context, reference)
  requireOwnerFor(by, user.role)
  const plan = await planKeys(user, keysChoice, context)
  const details = [`name: ${user.name}`]
  const record = (action: AuditAction) => recordOf(by.actor, context, { action, subject: user.id, details })
  if (!user.disabled && !(await users.change(user.id, { disabled: true }, record('user.disable'))))
    throw new GatewayError('user_not_found')
  const keys = await moveKeys(plan, by, context)
  if (!(await users.delete(user.id, record('user.delete')))) throw new GatewayError('user_not_found')
  return { id: user.id, name: user.name, keys }
}

export interface KeyPlan {
  readonly keys: readonly Key[]
  readonly change: { readonly disabled: true } | { readonly user: string }
}

const HAND_OVER = 'hand-over:'

/** Plans the action for every key before anything is changed. */
export async function planKeys(
  user: User,
  choice: string | undefined,
  context: PeopleContext,
): Promise<KeyPlan> {
  const own = context.keys().filter((key) => key.user === user.name && key.revokedAtMs === undefined)
  const working = own.filter((key) => !key.disabled)
  if (choice === undefined && working.length > 0) throw undecided(user, working.length)
  if (choice?.startsWith(HAND_OVER) !== true) return { keys: working, change: { disabled: true } }
  const heir = await findUser(context, choice.slice(HAND_OVER.length))
  if (heir.disabled || heir.id === user.id)
    throw refuse('invalid_field', {
      param: 'keys',
      message: `"keys": they cannot be handed over to "${heir.name}", who is ${heir.disabled ? 'disabled' : 'the same user'}.`,
      fact: { code: heir.disabled ? 'heir_is_disabled' : 'heir_is_the_same', values: { name: heir.name } },
    })
  return { keys: own, change: { user: heir.name } }
}

function undecided({ name }: User, count: number): GatewayError {
  const keys = count === 1 ? 'a key that works' : `${count} keys that work`
  return refuseField('missing_field', {
    param: 'keys',
    message: `User "${name}" has ${keys}. Say what becomes of them: "keys": "disable", or "keys": "hand-over:<user>".`,
    fact: { code: 'required', values: {} },
  })
}

export async function moveKeys(
  { keys, change }: KeyPlan,
  { actor }: Pick<Operator, 'actor'>,
  context: PeopleContext,
): Promise<MovedKeys> {
  const made = keys.filter(({ origin }) => origin === 'made')
  for (const key of made) await context.changeKey(key.id, change, actor)
  const inFile = keys.filter(({ origin }) => origin === 'bootstrap').map(({ name }) => name)
  return { changed: made.length, in_file: inFile }
}
