import type { Clock } from '../../kit/time/clock.ts'
import { digestOpaqueSecret } from './opaque-secret.ts'
import type { MissingFactor, Principal, UserPrincipal } from './principal.ts'
import type { Role } from './role.ts'
import { isLiveSession, isUseDue, type Session } from './session.ts'
import { isLiveToken, isWholeToken } from './token.ts'
import type { User } from './user.ts'
import type { PeopleStores } from './user-store.ts'

export interface OperatorIdentity {
  /** Finds the user of a session. Undefined if there is no such session, it has ended, or its user is disabled. */
  bySession(secret: string): Promise<Principal | undefined>
  byToken(secret: string): Promise<Principal | undefined>
}

export type OperatorIdentityOptions = Pick<PeopleStores, 'sessions' | 'tokens'> & {
  readonly clock: Pick<Clock, 'nowMs'>
  /** The roles whose users must have a second factor now. */
  readonly secondFactorRoles: () => readonly Role[]
}

/** Describes the user of a session as the principal of a request. */
export function principalOf(
  user: User,
  session: Session,
  secondFactorRoles: readonly Role[],
): UserPrincipal & { readonly credential: { readonly type: 'session' } } {
  const { id, name, role, groups } = user
  const { id: sessionId, freshUntilMs } = session
  const missingFactor = findMissingFactor(user, session, secondFactorRoles)
  const credential = { type: 'session', id: sessionId, freshUntilMs, missingFactor } as const
  return { type: 'user', id, name, role, groups, credential }
}

function findMissingFactor(
  { totp, role }: User,
  { hasSecondFactor }: Session,
  secondFactorRoles: readonly Role[],
): MissingFactor | undefined {
  if (hasSecondFactor) return undefined
  if (totp?.type === 'confirmed') return 'code'
  return secondFactorRoles.includes(role) ? 'enrolment' : undefined
}

/** Reads the user from the store for every request, so a changed role applies from the next request on. */
export function createOperatorIdentity({
  sessions,
  tokens,
  clock,
  secondFactorRoles,
}: OperatorIdentityOptions): OperatorIdentity {
  return {
    async bySession(secret) {
      const found = await sessions.find(digestOpaqueSecret(secret))
      const nowMs = clock.nowMs()
      if (found === undefined || found.user.disabled || !isLiveSession(found.session, nowMs)) return undefined
      const { session, user } = found
      if (isUseDue(session.lastUsedAtMs, nowMs)) await sessions.use(session.id, nowMs)
      return principalOf(user, session, secondFactorRoles())
    },
    async byToken(secret) {
      if (!isWholeToken(secret)) return undefined
      const found = await tokens.find(digestOpaqueSecret(secret))
      const nowMs = clock.nowMs()
      if (found === undefined || !isLiveToken(found.token, nowMs)) return undefined
      const { token, owner } = found
      if (owner.type === 'user' && owner.user.disabled) return undefined
      if (isUseDue(token.lastUsedAtMs, nowMs)) await tokens.use(token.id, nowMs)
      const { id, scopes } = token
      if (owner.type === 'service') return { type: 'service', id, name: token.name, role: owner.role, scopes }
      const { name, role, groups } = owner.user
      const credential = { type: 'token', id, name: token.name, scopes } as const
      return { type: 'user', id: owner.user.id, name, role, groups, credential }
    },
  }
}
