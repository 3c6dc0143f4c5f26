import type { Role } from '../../access/people/role.ts'
import type { SessionId } from '../../access/people/session.ts'
import { isLiveSession } from '../../access/people/session.ts'
import { makeToken, type TokenId, type TokenOwner } from '../../access/people/token.ts'
import { foldUserName } from '../../access/people/user.ts'
import type { FoundSession, FoundToken, FoundTokenOwner } from '../../access/people/user-store.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { brand } from '../../kit/brand.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { readExpiry } from '../expiry-schema.ts'
import { readInput } from '../read-input.ts'
import {
  findUser,
  isAdministrator,
  type Operator,
  type PeopleContext,
  recordOf,
  requireOwnerFor,
  requireSession,
} from './people-context.ts'
import type { CreatedToken, SessionList, TokenList, TokenView } from './people-contract.ts'
import {
  type CreateToken,
  createTokenSchema,
  listSessionsSchema,
  listTokensSchema,
} from './people-input-schema.ts'

/** The operations on sessions and tokens. Users manage their own, and admins those of others as well. */
export interface AccessOperations {
  listSessions(query: unknown, by: Operator): Promise<SessionList>
  endSession(id: string, by: Operator): Promise<{ readonly id: string }>
  listTokens(query: unknown, by: Operator): Promise<TokenList>
  createToken(input: CreateToken, by: Operator): Promise<CreatedToken>
  revokeToken(id: string, by: Operator): Promise<{ readonly id: string }>
}

export function createAccessOperations(context: PeopleContext): AccessOperations {
  return {
    listSessions: (query, by) => listSessions(readInput(listSessionsSchema, query).user, by, context),
    endSession: (id, by) => endSession(id, by, context),
    listTokens: (query, by) => listTokens(readInput(listTokensSchema, query).of, by, context),
    createToken: (input, by) => createToken(input, by, context),
    revokeToken: (id, by) => revokeToken(id, by, context),
  }
}

async function listSessions(
  userName: string | undefined,
  by: Operator,
  context: PeopleContext,
): Promise<SessionList> {
  const { stores, clock } = context
  if (!isAdministrator(by) && !isSelf(userName, by)) throw new GatewayError('not_permitted')
  const owner = userName === '*' ? undefined : await ownerOf(userName, by, context)
  const found = await stores.sessions.list(owner)
  const live = found.filter(({ session }) => isLiveSession(session, clock.nowMs()))
  return { data: live.map((each) => viewSession(each, by)) }
}

/** Undefined for all users, if the caller is not a user. */
async function ownerOf(userName: string | undefined, by: Operator, context: PeopleContext) {
  return userName === undefined ? ownId(by) : (await findUser(context, userName)).id
}

/**
 * Whether the request is about the caller's own sessions. Names of others are not looked up for callers who may not
 * see them.
 */
function isSelf(userName: string | undefined, { principal }: Operator): boolean {
  if (userName === undefined) return true
  if (principal.type !== 'user') return false
  return userName === principal.id || foldUserName(userName) === foldUserName(principal.name)
}

function ownId({ principal }: Operator) {
  return principal.type === 'user' ? principal.id : undefined
}

function viewSession({ session, user }: FoundSession, { principal }: Operator): SessionList['data'][number] {
  const credential = principal.type === 'user' ? principal.credential : undefined
  return {
    id: session.id,
    user: user.name,
    created_at: writeTime(session.createdAtMs),
    last_used_at: writeTime(session.lastUsedAtMs),
    expires_at: writeTime(session.expiresAtMs),
    address: session.address,
    user_agent: session.userAgent,
    current: credential?.type === 'session' && credential.id === session.id,
  }
}

/** The sessions of others are treated as nonexistent for callers who may not see them. */
async function endSession(
  id: string,
  by: Operator,
  context: PeopleContext,
): Promise<{ readonly id: string }> {
  const { sessions } = context.stores
  const found = await sessions.findById(brand<SessionId>(id))
  const isOwn = found !== undefined && found.user.id === ownId(by)
  if (found === undefined || (!isOwn && !isAdministrator(by))) throw new GatewayError('session_not_found')
  if (!isOwn) requireOwnerFor(by, found.user.role)
  const details = [`name: ${found.user.name}`, `session: ${found.session.id}`]
  const record = recordOf(by.actor, context, { action: 'session.end', subject: found.user.id, details })
  if (!(await sessions.end(found.session.id, record))) throw new GatewayError('session_not_found')
  return { id: found.session.id }
}

async function listTokens(
  of: 'me' | 'all' | undefined,
  by: Operator,
  { stores }: PeopleContext,
): Promise<TokenList> {
  const own = ownId(by)
  if (of === 'all' && !isAdministrator(by)) throw new GatewayError('not_permitted')
  // A service has no tokens of its own.
  if (own === undefined && !isAdministrator(by)) return { data: [] }
  const found = await stores.tokens.list(of === 'all' ? undefined : own)
  return { data: found.map(viewToken) }
}

function viewToken({ token, owner }: FoundToken): TokenView {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    user: owner.type === 'user' ? owner.user.name : null,
    role: roleOfOwner(owner),
    scopes: [...token.scopes],
    created_at: writeTime(token.createdAtMs),
    created_by: token.createdBy,
    created_by_fact: viewAuthor(token.createdBy),
    expires_at: writeTimeOrNull(token.expiresAtMs),
    last_used_at: writeTimeOrNull(token.lastUsedAtMs),
  }
}

function roleOfOwner(owner: FoundTokenOwner): Role {
  return owner.type === 'user' ? owner.user.role : owner.role
}

/** Requires a session or the admin token, as access by one token must not outlive that token. */
async function createToken(input: CreateToken, by: Operator, context: PeopleContext): Promise<CreatedToken> {
  const { name, scopes, service, expires_at } = readInput(createTokenSchema, input)
  if (by.principal.type !== 'admin-token') requireSession(by)
  const expiresAtMs = readExpiry(expires_at, context.clock.nowMs(), 'expires_at')
  const order = { name, scopes: [...new Set(scopes)], expiresAtMs, createdBy: by.actor.author }
  const owner = readOwner(service, by)
  const { token, secret } = makeToken({ ...order, owner }, context)
  const details = [
    `name: ${name}`,
    service === undefined ? 'for: its user' : `for: a service as ${service}`,
    `scopes: ${order.scopes.join(', ')}`,
  ]
  const record = recordOf(by.actor, context, { action: 'token.create', subject: token.id, details })
  await context.stores.tokens.insert(token, record)
  const found: FoundTokenOwner =
    owner.type === 'user' ? { type: 'user', user: await findUser(context, owner.userId) } : owner
  return { ...viewToken({ token, owner: found }), secret }
}

function readOwner(service: CreateToken['service'], by: Operator): TokenOwner {
  const { principal } = by
  if (service === undefined) {
    if (principal.type === 'user') return { type: 'user', userId: principal.id }
    throw refuse('missing_field', {
      param: 'service',
      message: 'The admin token is no user. Say which role the token has: "service": "viewer".',
      fact: { code: 'required', values: {} },
    })
  }
  if (!isAdministrator(by))
    throw refuse('invalid_field', {
      param: 'service',
      message:
        '"service": only an owner or an admin makes tokens for programs. Leave it out for one of your own.',
      fact: { code: 'only_for_administrators', values: {} },
    })
  requireOwnerFor(by, service)
  return { type: 'service', role: service }
}

async function revokeToken(
  id: string,
  by: Operator,
  context: PeopleContext,
): Promise<{ readonly id: string }> {
  const { tokens } = context.stores
  const found = await tokens.findById(brand<TokenId>(id))
  const isOwn = found?.owner.type === 'user' && found.owner.user.id === ownId(by)
  if (found === undefined || (!isOwn && !isAdministrator(by))) throw new GatewayError('token_not_found')
  const { token, owner } = found
  if (!isOwn) requireOwnerFor(by, roleOfOwner(owner))
  const details = [`name: ${token.name}`, ...(owner.type === 'user' ? [`of: ${owner.user.name}`] : [])]
  const record = recordOf(by.actor, context, { action: 'token.revoke', subject: token.id, details })
  if (!(await tokens.delete(token.id, record))) throw new GatewayError('token_not_found')
  return { id: token.id }
}
