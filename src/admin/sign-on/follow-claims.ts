import type { Role } from '../../access/people/role.ts'
import type { Membership, User } from '../../access/people/user.ts'
import { decideGroups, decideRole, isSameMemberships } from '../../access/sign-on/decide-access.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { describeGroups, type KeyPlan, moveKeys, planKeys } from '../people/manage-users.ts'
import { findUser, type PeopleContext, recordOf } from '../people/people-context.ts'
import type { Arrival } from './arrival.ts'

const DISABLED = 'Your user is disabled here. Ask an owner or an admin to enable it.'

/** The actor of changes that a claim decides: the provider, in the audit log as well. */
const providerActor = (address: string) => ({ author: 'identity provider', credential: 'claims', address })

/**
 * Updates a user who signs in by the claims. Fails if the user is disabled. If the provider gives no access, disables
 * the user here as well and fails.
 */
export async function followClaims(user: User, arrival: Arrival, context: PeopleContext): Promise<User> {
  if (user.disabled) throw new GatewayError('user_disabled', { message: DISABLED })
  const { proven, policy } = arrival
  const decision = decideRole(proven.claims, policy)
  if (decision.type === 'missing') throw new GatewayError('role_claim_missing')
  if (decision.type === 'refused') {
    await disableRefused(user, arrival, context)
    throw new GatewayError('role_not_given')
  }
  const role = decision.type === 'role' ? decision.role : user.role
  await changeRole(user, { role, arrival }, context)
  const known = context.groups()
  const input = { claims: proven.claims, current: user.groups, known: known && new Set(known.keys()) }
  const groups = decideGroups(input, policy)
  await changeGroups(user, { groups, arrival }, context)
  return findUser(context, user.id)
}

interface RoleChange {
  readonly role: Role
  readonly arrival: Arrival
}

/** The last owner remains an owner, whatever a claim says. */
async function changeRole(user: User, { role, arrival }: RoleChange, context: PeopleContext): Promise<void> {
  if (role === user.role) return
  const details = [`name: ${user.name}`, `role: ${role}`]
  const what = { action: 'user.change', subject: user.id, details } as const
  const record = recordOf(providerActor(arrival.address), context, what)
  const isDone = await unlessLastOwner(context.stores.users.change(user.id, { role }, record))
  if (isDone && role === 'owner') context.onOwner()
}

interface GroupChange {
  readonly groups: readonly Membership[]
  readonly arrival: Arrival
}

async function changeGroups(
  user: User,
  { groups, arrival }: GroupChange,
  context: PeopleContext,
): Promise<void> {
  if (isSameMemberships(groups, user.groups)) return
  const details = [`name: ${user.name}`, describeGroups(groups)]
  const what = { action: 'user.change', subject: user.id, details } as const
  const record = recordOf(providerActor(arrival.address), context, what)
  await context.stores.users.change(user.id, { groups }, record)
}

/**
 * Disables the user, which ends sessions and tokens, and handles the keys as the configuration says. The last owner
 * is not changed.
 */
async function disableRefused(user: User, arrival: Arrival, context: PeopleContext): Promise<void> {
  const actor = providerActor(arrival.address)
  const plan = await planRefused(user, arrival.policy.refusedKeys, context)
  const details = [`name: ${user.name}`, 'the identity provider gives no role']
  const record = recordOf(actor, context, { action: 'user.disable', subject: user.id, details })
  const isDone = await unlessLastOwner(context.stores.users.change(user.id, { disabled: true }, record))
  if (isDone) await moveKeys(plan, { actor }, context)
}

/** Keys that cannot be handed over are disabled, as their new owner may no longer exist. */
async function planRefused(user: User, choice: string, context: PeopleContext): Promise<KeyPlan> {
  try {
    return await planKeys(user, choice, context)
  } catch (error) {
    const isHeirGone = error instanceof GatewayError && heirErrors.has(error.failure.code)
    if (!isHeirGone) throw error
    return planKeys(user, 'disable', context)
  }
}

const heirErrors: ReadonlySet<string> = new Set(['user_not_found', 'invalid_field'])

/** Whether the change was made. */
async function unlessLastOwner(change: Promise<boolean>): Promise<boolean> {
  try {
    return await change
  } catch (error) {
    if (error instanceof GatewayError && error.failure.code === 'last_owner') return false
    throw error
  }
}
