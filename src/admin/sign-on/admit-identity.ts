import { nameSchema } from '../../access/key-schema.ts'
import type { Link, LinkId } from '../../access/people/link.ts'
import type { Role } from '../../access/people/role.ts'
import {
  guardUserName,
  type LinkedIdentity,
  type Membership,
  makeUser,
  type User,
} from '../../access/people/user.ts'
import { decideGroups, decideRole } from '../../access/sign-on/decide-access.ts'
import type { ProvenIdentity } from '../../access/sign-on/identity-provider.ts'
import { domainOf, readEmail, readText } from '../../access/sign-on/read-claims.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { isUsableLink } from '../people/manage-links.ts'
import { describeGroups } from '../people/manage-users.ts'
import { type PeopleContext, recordOf } from '../people/people-context.ts'
import { type Arrival, describeIdentity, SINGLE_SIGN_ON } from './arrival.ts'
import { followClaims } from './follow-claims.ts'

/**
 * Finds the user of an identity and updates the user by the claims. If there is none, makes a user if the email
 * domain may sign up.
 */
export async function admitIdentity(arrival: Arrival, context: PeopleContext): Promise<User> {
  const user = await context.stores.users.findByIdentity(arrival.proven)
  return user === undefined ? signUp(arrival, context) : followClaims(user, arrival, context)
}

async function signUp(arrival: Arrival, context: PeopleContext): Promise<User> {
  const { proven, policy } = arrival
  if (policy.domains.length === 0) throw new GatewayError('domain_not_allowed')
  const domain = domainOf(requireVerifiedEmail(arrival))
  if (domain === undefined || !policy.domains.includes(domain)) throw new GatewayError('domain_not_allowed')
  const role = roleOf(arrival, policy.defaultRole ?? 'member')
  const parts = newUserParts(arrival, [], context)
  const createdBy = new URL(proven.issuer).host
  const user = makeUser({ ...parts, name: readName(arrival), role, createdBy }, context)
  const record = recordNew(user, arrival, { context, by: `address of ${domain}` })
  await explainRepeat(user, context.stores.users.insert(user, record))
  if (user.role === 'owner') context.onOwner()
  return user
}

/** A name in use is not taken over. The holder of that user's password can link the identity instead. */
async function explainRepeat<Result>({ name }: User, made: Promise<Result>): Promise<Result> {
  try {
    return await made
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.code !== 'name_taken') throw error
    const message = `There is or was a user named "${name}". If that is you, sign in with the password and link the identity on the page "Account"; else ask an owner or an admin for an invitation under another name.`
    throw new GatewayError('name_taken', { message }, { cause: error })
  }
}

/** Accepts a link by an identity, with which the user signs in from then on. */
export async function acceptByIdentity(
  linkId: LinkId,
  arrival: Arrival,
  context: PeopleContext,
): Promise<User> {
  const { users } = context.stores
  const link = await findLink(linkId, context)
  if ((await users.findByIdentity(arrival.proven)) !== undefined) throw new GatewayError('identity_in_use')
  const { role: invited, groups, name } = termsOf(link)
  // The maker of a link to an owner may grant that role. The claims decide from the next sign-in on.
  const role = link.purpose.type === 'owner' ? 'owner' : roleOf(arrival, invited)
  const parts = newUserParts(arrival, groups, context)
  const order = { ...parts, name: name ?? readName(arrival), role, createdBy: link.createdBy }
  const user = makeUser(order, context)
  const record = recordNew(user, arrival, { context, by: `link: ${link.id}` })
  const isDone = await explainRepeat(user, users.accept(link.id, user, record))
  if (!isDone) throw new GatewayError('link_not_found')
  if (role === 'owner') context.onOwner()
  return user
}

async function findLink(id: LinkId, context: PeopleContext): Promise<Link> {
  const link = await context.stores.links.findById(id)
  if (link === undefined || !(await isUsableLink(link, context))) throw new GatewayError('link_not_found')
  return link
}

interface LinkTerms {
  readonly role: Role
  readonly groups: readonly Membership[]
  readonly name: string | undefined
}

function termsOf({ purpose }: Link): LinkTerms {
  switch (purpose.type) {
    case 'owner':
      return { role: 'owner', groups: [], name: undefined }
    case 'invitation':
      return purpose
    case 'reset':
      throw new GatewayError('link_not_found')
  }
}

/** The role by the claims. Fails if the claim must give a role and does not. */
function roleOf({ proven: { claims }, policy }: Arrival, undecided: Role): Role {
  const decision = decideRole(claims, policy)
  switch (decision.type) {
    case 'role':
      return decision.role
    case 'open':
      return undecided
    case 'missing':
      throw new GatewayError('role_claim_missing')
    case 'refused':
      throw new GatewayError('role_not_given')
  }
}

function newUserParts({ proven, policy }: Arrival, current: readonly Membership[], context: PeopleContext) {
  const known = context.groups()
  const knownNames = known === undefined ? undefined : new Set(known.keys())
  const groups = decideGroups({ claims: proven.claims, current, known: knownNames }, policy)
  return { groups, password: undefined, identity: identityOf(proven, context) } as const
}

export function identityOf(
  { issuer, subject, claims }: ProvenIdentity,
  { clock }: Pick<PeopleContext, 'clock'>,
): LinkedIdentity {
  return { issuer, subject, email: readEmail(claims)?.address.slice(0, 320), linkedAtMs: clock.nowMs() }
}

/** An email address that the provider has verified. An unverified address may belong to anybody. */
function requireVerifiedEmail({ proven: { claims }, policy }: Arrival): string {
  const email = readEmail(claims)
  if (email === undefined || !(email.isVerified || policy.trustsEmail))
    throw new GatewayError('email_not_verified')
  return email.address
}

/** Keys and limits refer to a user's name, so an email address is used as the name only if it is verified. */
function readName(arrival: Arrival): string {
  const { proven, policy } = arrival
  const text =
    policy.nameClaim === 'email' ? requireVerifiedEmail(arrival) : readText(proven.claims, policy.nameClaim)
  const read = nameSchema.safeParse(text)
  if (!read.success) throw new GatewayError('user_name_unusable')
  guardUserName(read.data)
  return read.data
}

function recordNew(
  user: User,
  { proven, address }: Arrival,
  { context, by }: { readonly context: PeopleContext; readonly by: string },
) {
  const details = [
    `name: ${user.name}`,
    `role: ${user.role}`,
    describeGroups(user.groups),
    `identity: ${describeIdentity(proven)}`,
    `by ${by}`,
  ]
  const actor = { author: user.name, credential: SINGLE_SIGN_ON, address }
  return recordOf(actor, context, { action: 'user.create', subject: user.id, details })
}
