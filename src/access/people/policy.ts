import { type Principal, roleOf } from './principal.ts'
import type { Role } from './role.ts'

/** What of the admin API a token can be given, one scope each for reading and for writing. */
export const scopeNouns = [
  ...(['keys', 'users', 'tokens', 'sessions', 'config', 'prices', 'budgets', 'credits'] as const),
  ...(['usage', 'ledger', 'requests', 'health', 'audit', 'backup'] as const),
] as const

export type Scope = `${(typeof scopeNouns)[number]}:${'read' | 'write'}`

export const scopes: readonly Scope[] = scopeNouns.flatMap((noun): Scope[] => [
  `${noun}:read`,
  `${noun}:write`,
])

/** Who may call a route of the admin API. The admin token may call each. */
export type AdminPolicy =
  /** Before anybody is signed in: sign-in itself, and links. Limited by address. */
  | { readonly access: 'public' }
  /** Anyone who is signed in, on themselves. */
  | { readonly access: 'self' }
  /** Every role; the operation lets members see and change no more than their own, and what they manage. */
  | { readonly access: 'own'; readonly scope: Scope }
  /** Viewers, admins and owners. */
  | { readonly access: 'read'; readonly scope: Scope }
  /** Admins and owners; `fresh`: with the password within the last minutes. */
  | { readonly access: 'write' | 'owner'; readonly scope: Scope; readonly fresh?: true }

export type Refused = 'role' | 'scope' | 'fresh'

const rolesOf: Readonly<Record<'own' | 'read' | 'write' | 'owner', readonly Role[]>> = {
  own: ['owner', 'admin', 'viewer', 'member'],
  read: ['owner', 'admin', 'viewer'],
  write: ['owner', 'admin'],
  owner: ['owner'],
}

/** Why somebody may not call a route; undefined where they may. */
export function findRefusal(policy: AdminPolicy, principal: Principal, nowMs: number): Refused | undefined {
  if (policy.access === 'public' || policy.access === 'self' || principal.type === 'admin-token')
    return undefined
  if (!rolesOf[policy.access].includes(roleOf(principal))) return 'role'
  // A token that names the scope as it is written was given it for that; nobody types a password for it.
  const given = scopesOf(principal)
  if (given !== undefined) return hasScope(given, policy.scope) ? undefined : 'scope'
  const needsFresh = 'fresh' in policy && policy.fresh === true
  return needsFresh && freshUntil(principal) <= nowMs ? 'fresh' : undefined
}

type Signed = Exclude<Principal, { readonly type: 'admin-token' }>

/** Undefined for a session, which may do what its user may. */
function scopesOf(principal: Signed): readonly string[] | undefined {
  if (principal.type === 'service') return principal.scopes
  return principal.credential.type === 'token' ? principal.credential.scopes : undefined
}

function freshUntil(principal: Signed): number {
  if (principal.type === 'service' || principal.credential.type === 'token') return 0
  return principal.credential.freshUntilMs
}

/** Who may write may read. */
function hasScope(given: readonly string[], wanted: Scope): boolean {
  return given.includes(wanted) || given.includes(wanted.replace(/:read$/, ':write'))
}
