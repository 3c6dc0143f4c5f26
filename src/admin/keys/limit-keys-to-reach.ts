import { type OwnReach, ownedByOf, type Principal, reachOf } from '../../access/people/principal.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { refuseField } from '../view-problem.ts'
import type { ChangeKey, CreateKey, KeyOperations, KeyOperationsByReader, KeyView } from './key-contract.ts'

/**
 * The operations on keys that a user may call. A member sees and changes keys under the member's own name and keys of
 * the groups that the member manages. Any other key is treated as nonexistent. Every key of a member has a group,
 * which limits what the key may use.
 */
export function keysInReach(keys: KeyOperationsByReader, principal: Principal): KeyOperations {
  const reach = reachOf(principal)
  if (reach.type === 'all') return keys
  const operations = keys.forOwners
  const find = async (reference: string): Promise<KeyView> => {
    const key = await operations.get(reference)
    if (!isInReach(key, reach)) throw new GatewayError('key_not_found')
    return key
  }
  // What a group gives its new keys would not bind a key that is made in another group and then moved.
  const guardMove = (key: KeyView, { group = null }: ChangeKey): void => {
    if (group === null || group === key.group || manages(reach, group)) return
    if (keys.limitsNewKeys(group)) throw notMovable(group)
  }
  return {
    list: (query) => operations.list(query, ownedByOf(reach)),
    get: find,
    async create(input, by) {
      const order = readOrder(input, reach)
      return manages(reach, order.group)
        ? operations.create(order, by)
        : operations.createWithinLife(order, by)
    },
    createWithinLife: async (input, by) => operations.createWithinLife(readOrder(input, reach), by),
    async change(reference, change, by) {
      const key = await find(reference)
      guardNewTerms(key, change, reach)
      guardMove(key, change)
      return operations.change(key.id, change, by)
    },
    async preview(reference, change) {
      const key = await find(reference)
      guardNewTerms(key, change, reach)
      guardMove(key, change)
      return operations.preview(key.id, change)
    },
    rotate: async (reference, input, by) => operations.rotate((await find(reference)).id, input, by),
    revoke: async (reference, by) => operations.revoke((await find(reference)).id, by),
  }
}

function guardNewTerms({ group, user }: KeyView, change: ChangeKey, reach: OwnReach): void {
  guardChange(change, group ?? undefined, reach)
  if (change.group === null || change.user === null) throw detached()
  if (change.group !== undefined || change.user !== undefined)
    readOrder({ name: '', group: change.group ?? group ?? '', user: change.user ?? user ?? '' }, reach)
}

function isInReach({ user, group }: Pick<KeyView, 'user' | 'group'>, reach: OwnReach): boolean {
  return user === reach.user || (group !== null && reach.managedGroups.includes(group))
}

/** Terms that reach beyond the limits of a group. */
const ofInstallation = ['dry_run', 'caller_tags', 'tags', 'end_user_budget', 'passthrough'] as const
/** Terms that a key gets from its group or an operator. The group's manager may change them. */
const ofGroup = ['budgets', 'rate', 'expires_at'] as const

type Guarded = (typeof ofInstallation)[number] | (typeof ofGroup)[number]

function manages({ managedGroups }: OwnReach, group: string | undefined): boolean {
  return group !== undefined && managedGroups.includes(group)
}

function guardFields(input: Pick<ChangeKey, Guarded>, group: string | undefined, reach: OwnReach): void {
  const reserved: readonly Guarded[] = manages(reach, group)
    ? ofInstallation
    : [...ofInstallation, ...ofGroup]
  const field = reserved.find((name) => input[name] !== undefined)
  if (field !== undefined) throw notYours(field)
}

/**
 * A member cannot lift a restriction that another operator set on the key. In a group of the member's own, the models
 * are the member's choice, as a new key there could have them as well. No group of the member limits other keys.
 */
function guardChange(change: ChangeKey, group: string | undefined, reach: OwnReach): void {
  guardFields(change, group, reach)
  if (manages(reach, group)) return
  const isOfOwnGroup = group !== undefined && reach.groups.includes(group)
  if (change.models !== undefined && !isOfOwnGroup) throw notYours('models')
  if (change.allow_ips !== undefined) throw notYours('allow_ips')
  if (change.disabled === false) throw notYours('disabled')
}

function notYours(field: string): GatewayError {
  return refuse('not_permitted', {
    param: field,
    message: `"${field}" is not for you to set. Leave it out, or ask the manager of the group or an admin.`,
    fact: { code: 'not_your_field', values: { field } },
  })
}

function notMovable(group: string): GatewayError {
  return refuse('not_permitted', {
    param: 'group',
    message: `"group": the group "${group}" limits its new keys, so a key from elsewhere is not for you to move there. Make a new key in it, or ask the manager of the group or an admin.`,
    fact: { code: 'not_your_field', values: { field: 'group' } },
  })
}

function detached(): GatewayError {
  return refuse('not_permitted', {
    message: 'A key of yours has a group and a user. Name another of your groups, or revoke the key.',
    fact: { code: 'own_key_needs_group', values: {} },
  })
}

/** The input with the member's own name, and with the member's group if there is only one. */
function readOrder(input: CreateKey, { user, groups, managedGroups }: OwnReach): CreateKey {
  const group = input.group ?? (groups.length === 1 ? groups[0] : undefined)
  if (group === undefined) throw noGroup(groups)
  if (!groups.includes(group)) throw otherGroup(group, groups)
  // The expiry of a new key is limited where the key is created.
  const { expires_at: _, ...guarded } = input
  guardFields(guarded, group, { type: 'own', user, groups, managedGroups })
  const owner = input.user ?? user
  if (owner !== user && !managedGroups.includes(group))
    throw refuse('not_permitted', {
      param: 'user',
      message: `"user": you make keys of your own, "${user}". The manager of a group makes keys for others.`,
      fact: { code: 'only_your_keys', values: { name: user } },
    })
  return { ...input, group, user: owner }
}

function noGroup(groups: readonly string[]): GatewayError {
  if (groups.length === 0)
    return refuse('not_permitted', {
      message:
        'You are in no group, which says what a key may use. Ask an owner or an admin to add you to one.',
      fact: { code: 'in_no_group', values: {} },
    })
  const message = `"group": you are in several groups. Choose one: ${groups.join(', ')}.`
  const fact = { code: 'unknown_value', values: { values: groups } } as const
  return refuseField('missing_field', { param: 'group', message, fact })
}

function otherGroup(group: string, groups: readonly string[]): GatewayError {
  const message = `"group": you are not in the group "${group}". Yours: ${groups.join(', ') || 'none'}.`
  return refuse('not_permitted', {
    param: 'group',
    message,
    fact: { code: 'not_your_group', values: { group, groups } },
  })
}
