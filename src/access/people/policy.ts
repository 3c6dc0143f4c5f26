import type { MissingFactor, Principal } from './principal.ts'
import { type Role, roles } from './role.ts'
import { coversScope, type Scope } from './scope.ts'

/**
 * Whether a recently entered password is required: always, or only if the body has one of these fields. Such fields
 * can redirect secrets or give power to others: upstream keys, base addresses, roles.
 */
export type Freshness = true | readonly string[]

/** The rule for who may call a route of the admin API. */
export type AdminPolicy =
  /** Everybody, signed in or not. Pages of other sites may call the route only if `from` allows them. */
  | { readonly access: 'public'; readonly from?: 'anywhere' }
  /**
   * Signed-in users, about themselves. Tokens are admitted only with `tokens`. Sessions that still lack the second
   * factor are admitted only with `unfinished`.
   */
  | {
      readonly access: 'self'
      readonly tokens?: true
      readonly unfinished?: true
      readonly fresh?: Freshness
    }
  /** Every role, but viewers may only read. The operation restricts members to their own objects. */
  | { readonly access: 'own'; readonly scope: Scope; readonly fresh?: Freshness }
  | { readonly access: 'read'; readonly scope: Scope }
  | { readonly access: 'write' | 'owner'; readonly scope: Scope; readonly fresh?: Freshness }

export type PublicPolicy = Extract<AdminPolicy, { readonly access: 'public' }>
/** A policy that requires a principal. */
export type PrincipalPolicy = Exclude<AdminPolicy, PublicPolicy>

/** The reason why a request is refused. */
export type AccessRefusal =
  /** Nobody is signed in. */
  | { readonly reason: 'unauthenticated' }
  | { readonly reason: 'role'; readonly role: Role; readonly allowed: readonly Role[] }
  | { readonly reason: 'scope'; readonly scope: Scope }
  /** The route requires the session of a signed-in person. */
  | { readonly reason: 'session' }
  /** The session must pass the second factor first. */
  | { readonly reason: 'second-factor'; readonly missing: MissingFactor }
  /** The password must be entered again. */
  | { readonly reason: 'fresh' }

const everybody: readonly Role[] = roles
const readers: readonly Role[] = ['owner', 'admin', 'viewer']
const writers: readonly Role[] = ['owner', 'admin']
const ownWriters: readonly Role[] = ['owner', 'admin', 'member']

/**
 * Undefined if the principal may call the route. Refusals that another sign-in cannot lift are found first. `fields`
 * are those of the body. Omit them if the body is not read yet.
 */
export function refusalOf(
  policy: AdminPolicy,
  principal: Principal | undefined,
  { nowMs, fields }: { readonly nowMs: number; readonly fields?: readonly string[] },
): AccessRefusal | undefined {
  if (policy.access === 'public') return undefined
  if (principal === undefined) return { reason: 'unauthenticated' }
  if (principal.type === 'admin-token') return undefined
  const missing = missingFactorOf(principal)
  if (missing !== undefined && !(policy.access === 'self' && policy.unfinished === true))
    return { reason: 'second-factor', missing }
  const { role } = principal
  const allowed = rolesOf(policy)
  if (!allowed.includes(role)) return { reason: 'role', role, allowed }
  // A member's objects carry the member's name. A service has no such objects.
  if (principal.type === 'service' && role === 'member' && policy.access === 'own')
    return { reason: 'role', role, allowed: allowed.filter((each) => each !== 'member') }
  const refused = refuseToken(policy, principal)
  if (refused !== undefined) return refused
  const isDue = 'fresh' in policy && needsFresh(policy.fresh, fields)
  return isDue ? refuseStale(principal, nowMs) : undefined
}

function missingFactorOf(principal: Exclude<Principal, { type: 'admin-token' }>): MissingFactor | undefined {
  const isSession = principal.type === 'user' && principal.credential.type === 'session'
  return isSession ? principal.credential.missingFactor : undefined
}

/** Whether the principal may call a route, if necessary after entering the password again. */
export function mayCall(policy: AdminPolicy, principal: Principal): boolean {
  const refusal = refusalOf(policy, principal, { nowMs: Number.POSITIVE_INFINITY })
  return refusal === undefined || refusal.reason === 'fresh'
}

/** The roles that may call a route. */
export function rolesOf(policy: AdminPolicy): readonly Role[] {
  switch (policy.access) {
    case 'public':
    case 'self':
      return everybody
    case 'own':
      return policy.scope.endsWith(':write') ? ownWriters : everybody
    case 'read':
      return readers
    case 'write':
      return writers
    case 'owner':
      return ['owner']
  }
}

/** Undefined for a session, which scopes do not limit. */
function scopesOf(principal: Exclude<Principal, { type: 'admin-token' }>): readonly Scope[] | undefined {
  if (principal.type === 'service') return principal.scopes
  return principal.credential.type === 'token' ? principal.credential.scopes : undefined
}

function refuseToken(
  policy: PrincipalPolicy,
  principal: Exclude<Principal, { type: 'admin-token' }>,
): AccessRefusal | undefined {
  const scopes = scopesOf(principal)
  if (scopes === undefined) return undefined
  if (policy.access === 'self') return policy.tokens === true ? undefined : { reason: 'session' }
  return coversScope(scopes, policy.scope) ? undefined : { reason: 'scope', scope: policy.scope }
}

function needsFresh(fresh: Freshness | undefined, fields: readonly string[] = []): boolean {
  if (fresh === undefined || fresh === true) return fresh === true
  return fresh.some((field) => fields.includes(field))
}

function refuseStale(
  principal: Exclude<Principal, { type: 'admin-token' }>,
  nowMs: number,
): AccessRefusal | undefined {
  const scopes = scopesOf(principal)
  if (scopes !== undefined)
    return coversScope(scopes, 'sensitive:write') ? undefined : { reason: 'scope', scope: 'sensitive:write' }
  const isFresh =
    principal.type === 'user' &&
    principal.credential.type === 'session' &&
    nowMs < principal.credential.freshUntilMs
  return isFresh ? undefined : { reason: 'fresh' }
}
