import type { MissingFactor, Principal } from './principal.ts'
import { type Role, roles } from './role.ts'
import { coversScope, type Scope } from './scope.ts'

/**
 * The requirement of a recent password: always, or where the body has one of these fields. Such fields lead secrets or
 * power elsewhere: upstream keys, base addresses, roles.
 */
export type Freshness = true | readonly string[]

/** The rule of who may call a route of the admin API. */
export type AdminPolicy =
  /** Everybody, before anybody is signed in; by a page of another site only where `from` says so. */
  | { readonly access: 'public'; readonly from?: 'anywhere' }
  /**
   * Signed-in users, about themselves; by a token only where `tokens` says so, and before the second factor was shown
   * only where `unfinished` does.
   */
  | {
      readonly access: 'self'
      readonly tokens?: true
      readonly unfinished?: true
      readonly fresh?: Freshness
    }
  /** Every role, viewers to read alone. The operation restricts members to their own objects. */
  | { readonly access: 'own'; readonly scope: Scope; readonly fresh?: Freshness }
  | { readonly access: 'read'; readonly scope: Scope }
  | { readonly access: 'write' | 'owner'; readonly scope: Scope; readonly fresh?: Freshness }

export type PublicPolicy = Extract<AdminPolicy, { readonly access: 'public' }>
/** A policy that admits principals alone. */
export type PrincipalPolicy = Exclude<AdminPolicy, PublicPolicy>

/** The reason for a refusal. */
export type AccessRefusal =
  /** Nobody is signed in. */
  | { readonly reason: 'unauthenticated' }
  | { readonly reason: 'role'; readonly role: Role; readonly allowed: readonly Role[] }
  | { readonly reason: 'scope'; readonly scope: Scope }
  /** A person must do it, signed in. */
  | { readonly reason: 'session' }
  /** The second factor comes first. */
  | { readonly reason: 'second-factor'; readonly missing: MissingFactor }
  /** The password must be given again. */
  | { readonly reason: 'fresh' }

const everybody: readonly Role[] = roles
const readers: readonly Role[] = ['owner', 'admin', 'viewer']
const writers: readonly Role[] = ['owner', 'admin']
const ownWriters: readonly Role[] = ['owner', 'admin', 'member']

/**
 * Undefined where the principal may call a route. The first refusal is one that nobody can lift by signing in again.
 * `fields` are those of the body; leave them out before it is read.
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
  // A member's objects are those under the member's name, and a service has none.
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

/** Whether the principal may call a route, after giving the password again where that is due. */
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

/** Undefined for a session. */
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
