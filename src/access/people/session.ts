import { type Branded, brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import { digestOpaqueSecret, makeOpaqueSecret, type SecretDigest } from './opaque-secret.ts'
import type { UserId } from './user.ts'

/** The ID of a session, for lists and for ending the session. It does not authenticate anybody. */
export type SessionId = Branded<string, 'SessionId'>

/** A browser in which a user is signed in. */
export interface Session {
  readonly id: SessionId
  readonly digest: SecretDigest
  readonly userId: UserId
  readonly createdAtMs: number
  /** The time of the last use, to the minute. */
  readonly lastUsedAtMs: number
  /** The end of the session, however much it is used. */
  readonly expiresAtMs: number
  /** The time until which dangerous operations need no new password. */
  readonly freshUntilMs: number
  /** Whether the second factor was checked, here or at the identity provider. */
  readonly hasSecondFactor: boolean
  /** The client's address at sign-in. */
  readonly address: string
  readonly userAgent: string
}

/** The idle timeout of a session. */
export const SESSION_IDLE_MS = 12 * HOUR_MS
export const SESSION_LIFE_MS = 30 * 24 * HOUR_MS
/** The time after entering the password in which dangerous operations are allowed. */
export const FRESH_MS = 10 * MINUTE_MS
const MAX_USER_AGENT_CHARACTERS = 256
/** The minimum interval between two writes of a session's last use. */
const USE_WRITE_INTERVAL_MS = MINUTE_MS

export interface SessionOrder {
  readonly userId: UserId
  readonly address: string
  readonly userAgent: string
  readonly hasSecondFactor?: boolean
  /** The lifetime of the session, if it is shorter than the maximum. */
  readonly lifeMs?: number
}

/** Makes a session with a new secret. Nothing that the browser sent before the sign-in is valid for the session. */
export function makeSession(
  { userId, address, userAgent, hasSecondFactor = false, lifeMs = SESSION_LIFE_MS }: SessionOrder,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): { readonly session: Session; readonly secret: string } {
  const secret = makeOpaqueSecret(random)
  const nowMs = clock.nowMs()
  const session = {
    id: brand<SessionId>(`ses_${random.bytes(12).toString('hex')}`),
    digest: digestOpaqueSecret(secret),
    userId,
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    expiresAtMs: nowMs + lifeMs,
    freshUntilMs: nowMs + FRESH_MS,
    hasSecondFactor,
    address,
    userAgent: userAgent.slice(0, MAX_USER_AGENT_CHARACTERS),
  }
  return { session, secret }
}

export function isLiveSession(
  { lastUsedAtMs, expiresAtMs }: Pick<Session, 'lastUsedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  return nowMs < expiresAtMs && nowMs < lastUsedAtMs + SESSION_IDLE_MS
}

/** Whether the last use is old enough that the new one should be written. */
export function isUseDue(lastUsedAtMs: number | undefined, nowMs: number): boolean {
  return lastUsedAtMs === undefined || nowMs >= lastUsedAtMs + USE_WRITE_INTERVAL_MS
}
