import { isOpenLink, type Link, type LinkId, type LinkPurpose, makeLink } from '../../access/people/link.ts'
import { digestOpaqueSecret } from '../../access/people/opaque-secret.ts'
import { foldUserName, guardUserName, makeUser, type User } from '../../access/people/user.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { brand } from '../../kit/brand.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import { beginAttempt, succeedAttempt } from './count-attempts.ts'
import { describeGroups, readGroups, viewUser } from './manage-users.ts'
import { findUser, type Operator, type PeopleContext, recordOf, requireOwnerFor } from './people-context.ts'
import type { CreatedLink, LinkList, LinkView, UserView } from './people-contract.ts'
import {
  type AcceptLink,
  acceptLinkSchema,
  type Invite,
  inviteSchema,
  showLinkSchema,
} from './people-input-schema.ts'
import { guardPassword, mayUsePassword } from './sign-in.ts'

/** The link with which a person becomes the first owner. */
export interface FirstOwnerLink extends LinkView {
  /** Undefined if another node made the link, since only the digest of the secret is stored. */
  readonly secret: string | undefined
}

export interface FirstOwnerOutlet {
  /** Gets the secret before the link is stored, as a link with a lost secret is useless. */
  write(secret: string): void
  /** The secret of an earlier start, if its file still has it. */
  read(): string | undefined
  /** Whether other nodes may have shown a link that a person is about to use. */
  readonly isShared: boolean
}

/** The operations on links. The secret of a link is shown once, to its creator, who passes it on. */
export interface LinkOperations {
  list(): Promise<LinkList>
  /**
   * Makes the link to the first owner if there is no owner yet, and replaces the link of the previous start. With
   * several nodes, the link of one of them stays until it expires.
   */
  inviteFirstOwner(outlet: FirstOwnerOutlet): Promise<FirstOwnerLink | undefined>
  /** Invites an owner, of any name. */
  inviteOwner(by: Operator): Promise<CreatedLink>
  invite(input: Invite, by: Operator): Promise<CreatedLink>
  reset(reference: string, by: Operator): Promise<CreatedLink>
  withdraw(id: string, by: Operator): Promise<{ readonly id: string }>
  /** Shows the effect of a link. Anybody with its secret may ask. */
  show(input: { readonly secret: string }, address: string): Promise<LinkView>
  accept(input: AcceptLink, address: string): Promise<UserView>
}

export function createLinkOperations(context: PeopleContext): LinkOperations {
  const { stores } = context
  return {
    async list() {
      const links: Link[] = []
      for (const link of await stores.links.list()) if (await isUsableLink(link, context)) links.push(link)
      return {
        data: links.map((link) => ({
          ...viewLink(link),
          created_at: writeTime(link.createdAtMs),
          created_by: link.createdBy,
          created_by_fact: viewAuthor(link.createdBy),
        })),
      }
    },
    inviteFirstOwner: (outlet) => inviteFirstOwner(outlet, context),
    async inviteOwner(by) {
      requireOwnerFor(by, 'owner')
      return addLink({ type: 'owner' }, by, context)
    },
    async invite(input, by) {
      const { role, groups = [], name } = readInput(inviteSchema, input)
      requireOwnerFor(by, role)
      if (name !== undefined) guardUserName(name)
      if (name !== undefined && (await stores.users.findByName(name)) !== undefined) throw refuseRepeat(name)
      return addLink({ type: 'invitation', role, groups: readGroups(groups, context), name }, by, context)
    },
    async reset(reference, by) {
      const { id, name, role, disabled } = await findUser(context, reference)
      requireOwnerFor(by, role)
      if (disabled) throw isDisabled(name)
      return addLink({ type: 'reset', userId: id, name }, by, context)
    },
    withdraw: (id, by) => withdrawLink(id, by, context),
    show: async (input, address) =>
      viewLink(await openLink(readInput(showLinkSchema, input).secret, address, context)),
    accept: (input, address) => acceptLink(readInput(acceptLinkSchema, input), address, context),
  }
}

/** The author of the link that a start creates. */
const FIRST_START = 'first start'

async function inviteFirstOwner(
  outlet: FirstOwnerOutlet,
  context: PeopleContext,
): Promise<FirstOwnerLink | undefined> {
  const { stores, clock } = context
  const { users, links } = stores
  if (await users.hasOwner()) {
    // A person may have become an owner while the process that made the link was not running.
    context.onOwner()
    return undefined
  }
  const earlier = (await links.list()).filter(({ createdBy }) => createdBy === FIRST_START)
  const open = outlet.isShared ? earlier.find((link) => isOpenLink(link, clock.nowMs())) : undefined
  if (open !== undefined) return { ...viewLink(open), secret: findSecret(open, outlet) }
  for (const link of earlier) await links.delete(link.id, undefined)
  const { link, secret } = makeLink({ purpose: { type: 'owner' }, createdBy: FIRST_START }, context)
  outlet.write(secret)
  await links.insert(link, undefined)
  return { ...viewLink(link), secret }
}

function findSecret({ digest }: Link, { read }: FirstOwnerOutlet): string | undefined {
  const secret = read()
  return secret !== undefined && digestOpaqueSecret(secret) === digest ? secret : undefined
}

async function addLink(purpose: LinkPurpose, by: Operator, context: PeopleContext): Promise<CreatedLink> {
  const { stores, clock } = context
  await stores.links.deleteExpired(clock.nowMs())
  const { link, secret } = makeLink({ purpose, createdBy: by.actor.author }, context)
  const what = { action: 'link.create', subject: link.id, details: describeLink(link) } as const
  await stores.links.insert(link, recordOf(by.actor, context, what))
  return { ...viewLink(link), secret }
}

async function withdrawLink(
  id: string,
  by: Operator,
  context: PeopleContext,
): Promise<{ readonly id: string }> {
  const { links } = context.stores
  const link = await links.findById(brand<LinkId>(id))
  if (link === undefined) throw new GatewayError('link_not_found')
  requireOwnerFor(by, roleIn(link.purpose))
  const what = { action: 'link.delete', subject: link.id, details: describeLink(link) } as const
  if (!(await links.delete(link.id, recordOf(by.actor, context, what))))
    throw new GatewayError('link_not_found')
  return { id: link.id }
}

/** Guesses are limited by address. 256 bits cannot be guessed, but each guess costs a look-up in the store. */
async function openLink(secret: string, address: string, context: PeopleContext): Promise<Link> {
  const attempt = { name: undefined, address }
  await beginAttempt(attempt, context)
  const link = await context.stores.links.find(digestOpaqueSecret(secret))
  if (link === undefined || !(await isUsableLink(link, context))) throw new GatewayError('link_not_found')
  await succeedAttempt(attempt, context)
  return link
}

/** A link to the first owner is useless once there is an owner. */
export async function isUsableLink(
  link: Link,
  { stores, clock }: Pick<PeopleContext, 'stores' | 'clock'>,
): Promise<boolean> {
  const isLate = link.createdBy === FIRST_START && (await stores.users.hasOwner())
  return isOpenLink(link, clock.nowMs()) && !isLate
}

async function acceptLink(
  { secret, name, password }: AcceptLink,
  address: string,
  context: PeopleContext,
): Promise<UserView> {
  const link = await openLink(secret, address, context)
  const { purpose } = link
  const userName = readName(name, purpose)
  guardChosenName(userName, purpose, context)
  await guardMethod(purpose, context)
  guardPassword(password, userName)
  const hash = await context.hasher.hash(password)
  const actor = { author: userName, credential: 'link', address }
  if (purpose.type === 'reset') {
    const what = {
      action: 'user.password',
      subject: purpose.userId,
      details: [`name: ${userName}`, `by link: ${link.id}`],
    } as const
    const change = { password: hash, record: recordOf(actor, context, what) }
    if (!(await context.stores.users.acceptReset(link.id, purpose.userId, change)))
      throw new GatewayError('link_not_found')
    return viewUser(await findUser(context, purpose.userId))
  }
  const { role, groups } = purpose.type === 'owner' ? { role: 'owner' as const, groups: [] } : purpose
  const user = makeUser({ name: userName, role, groups, password: hash, createdBy: link.createdBy }, context)
  const details = [`name: ${userName}`, `role: ${role}`, describeGroups(groups), `by link: ${link.id}`]
  const record = recordOf(actor, context, { action: 'user.create', subject: user.id, details })
  if (!(await context.stores.users.accept(link.id, user, record))) throw new GatewayError('link_not_found')
  if (role === 'owner') context.onOwner()
  return viewUser(user)
}

/** Refuses to set a password with which nobody could sign in. */
async function guardMethod(purpose: LinkPurpose, context: PeopleContext): Promise<void> {
  const role =
    purpose.type === 'reset' ? (await context.stores.users.find(purpose.userId))?.role : roleIn(purpose)
  if (role !== undefined && !mayUsePassword(role, context)) throw new GatewayError('password_sign_in_off')
}

function readName(given: string | undefined, purpose: LinkPurpose): string {
  const fixed = purpose.type === 'owner' ? undefined : purpose.name
  if (given !== undefined && fixed !== undefined && given !== fixed)
    throw refuseField('invalid_field', {
      param: 'name',
      message: `The link is for "${fixed}". Leave "name" out.`,
      fact: { code: 'fixed_name', values: {} },
    })
  const name = fixed ?? given
  if (name !== undefined) return name
  throw refuseField('missing_field', {
    param: 'name',
    message: 'The field "name" is required: choose your name.',
    fact: { code: 'required', values: {} },
  })
}

/**
 * Refuses a name that the person chose and that keys have: the keys would be that person's, with their secrets and
 * their usage. An invitation that gives the name means it.
 */
function guardChosenName(name: string, purpose: LinkPurpose, { keys }: Pick<PeopleContext, 'keys'>): void {
  if (purpose.type !== 'invitation' || purpose.name !== undefined) return
  const folded = foldUserName(name)
  if (!keys().some(({ user }) => user !== undefined && foldUserName(user) === folded)) return
  throw refuse('name_taken', {
    param: 'name',
    message: `Keys belong to "${name}" already. Choose another name, or have yourself invited under this one.`,
    fact: { code: 'user_name_used', values: { name } },
  })
}

function viewLink({ id, purpose, expiresAtMs }: Link): LinkView {
  const invitation = purpose.type === 'invitation' ? purpose : undefined
  return {
    id,
    type: purpose.type,
    role: purpose.type === 'owner' ? 'owner' : (invitation?.role ?? null),
    groups: (invitation?.groups ?? []).map((each) => ({ ...each })),
    name: purpose.type === 'owner' ? null : (purpose.name ?? null),
    expires_at: writeTime(expiresAtMs),
  }
}

function describeLink(link: Link): readonly string[] {
  const { type, role, groups, name, expires_at } = viewLink(link)
  return [
    `type: ${type}`,
    ...(role === null ? [] : [`role: ${role}`]),
    ...(groups.length === 0 ? [] : [describeGroups(groups)]),
    ...(name === null ? [] : [`name: ${name}`]),
    `until: ${expires_at}`,
  ]
}

function roleIn(purpose: LinkPurpose): User['role'] | undefined {
  if (purpose.type === 'owner') return 'owner'
  return purpose.type === 'invitation' ? purpose.role : undefined
}

function refuseRepeat(name: string): GatewayError {
  return refuse('name_taken', {
    param: 'name',
    message: `There is a user named "${name}" already. Choose another name.`,
    fact: { code: 'name_in_use', values: { kind: 'user', name } },
  })
}

function isDisabled(name: string): GatewayError {
  const message = `User "${name}" is disabled, so a new password would be of no use. Enable the user first.`
  return refuse('user_disabled', { message, fact: { code: 'user_is_disabled', values: { name } } })
}
