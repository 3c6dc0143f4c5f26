import type { ErrorCode } from '../../canonical/error-table.ts'
import type { Failure } from '../../canonical/failure.ts'
import { HOUR_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import type { RetryPolicy } from '../retry-schema.ts'

export const tripReasons = [
  'failing',
  'overloaded',
  'rate-limited',
  'refused',
  'out-of-credit',
  'model-missing',
  'unreachable',
  'insecure',
] as const

/** The reason why a circuit breaker opened. */
export type TripReason = (typeof tripReasons)[number]

export const healthScopes = ['channel', 'credential', 'model'] as const

/** The part of a candidate that a failure is evidence about. */
export type HealthScope = (typeof healthScopes)[number]

/** The effect of one failure on the health of its target. */
export type HealthImpact =
  /** The fault is the caller's or the gateway's, so it is no evidence. */
  | { readonly type: 'none' }
  /** One of several failures that together open the breaker. */
  | { readonly type: 'failure'; readonly scope: HealthScope; readonly reason: TripReason }
  /** Opens the breaker by itself. */
  | {
      readonly type: 'cooldown'
      readonly scope: HealthScope
      readonly reason: TripReason
      /** Undefined if the provider names no time: the cooldown doubles with each trip. */
      readonly forMs: number | undefined
    }

const CREDENTIAL_COOLDOWN_MS = 10 * MINUTE_MS
const MISCONFIGURATION_COOLDOWN_MS = MINUTE_MS
const MAX_RETRY_AFTER_MS = HOUR_MS
const MAX_OVERLOAD_MS = MINUTE_MS

const none: HealthImpact = { type: 'none' }
const failing: HealthImpact = { type: 'failure', scope: 'model', reason: 'failing' }
const unreachable: HealthImpact = { type: 'failure', scope: 'channel', reason: 'unreachable' }

/** The health impact of each code, as in the column "Health" of the table of faults (docs/invariants.md). */
const impacts: Partial<Record<ErrorCode, HealthImpact>> = {
  upstream_error: failing,
  upstream_empty: failing,
  upstream_bad_response: failing,
  upstream_disconnected: failing,
  upstream_timeout: failing,
  upstream_unreachable: unreachable,
  upstream_tls: {
    type: 'cooldown',
    scope: 'channel',
    reason: 'insecure',
    forMs: MISCONFIGURATION_COOLDOWN_MS,
  },
  upstream_quota: {
    type: 'cooldown',
    scope: 'credential',
    reason: 'out-of-credit',
    forMs: CREDENTIAL_COOLDOWN_MS,
  },
  upstream_model_missing: {
    type: 'cooldown',
    scope: 'model',
    reason: 'model-missing',
    forMs: MISCONFIGURATION_COOLDOWN_MS,
  },
}

export function assessHealthImpact(failure: Failure): HealthImpact {
  const retryAfterMs = failure.retryAfterSeconds === undefined ? undefined : failure.retryAfterSeconds * 1_000
  switch (failure.code) {
    case 'upstream_rate_limited': {
      const forMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)
      return { type: 'cooldown', scope: 'model', reason: 'rate-limited', forMs }
    }
    case 'upstream_overloaded': {
      if (retryAfterMs === undefined || retryAfterMs <= 0) return failing
      const forMs = Math.min(retryAfterMs, MAX_OVERLOAD_MS)
      return { type: 'cooldown', scope: 'model', reason: 'overloaded', forMs }
    }
    case 'upstream_credential':
      return {
        type: 'cooldown',
        scope: isForbidden(failure) ? 'model' : 'credential',
        reason: 'refused',
        forMs: CREDENTIAL_COOLDOWN_MS,
      }
    default:
      return impacts[failure.code] ?? none
  }
}

/**
 * Whether a reason concerns only the operation that failed. A server without a path for embeddings may serve chat with
 * the same model.
 */
export function concernsOneOperation(scope: HealthScope, reason: TripReason): boolean {
  return scope === 'model' && (reason === 'model-missing' || reason === 'refused')
}

/** Whether the status is 403. It is often about one model or region; the same credential may still serve others. */
export function isForbidden({ upstream }: Failure): boolean {
  return upstream?.status === 403
}

/** Whether the reason lasts until an operator acts, so that it is worth an alert. */
export function needsOperator(reason: TripReason): boolean {
  return ['refused', 'out-of-credit', 'model-missing', 'insecure'].includes(reason)
}

/** The time of the whole request, and its end by `Clock.monotonicMs`. */
interface RequestTime {
  readonly deadlineAtMs: number
  readonly policy: Pick<RetryPolicy, 'deadlineMs'>
}

/**
 * Whether the deadline of the request ended a silent call that had less than half of the request's time, because other
 * calls or the queue used the rest. Such a call is no evidence about its target, which may be healthy.
 */
export function isCutShort(
  { code }: Failure,
  { startedAtMs, endedAtMs }: { readonly startedAtMs: number; readonly endedAtMs: number },
  { deadlineAtMs, policy }: RequestTime,
): boolean {
  if (code !== 'upstream_timeout' || endedAtMs < deadlineAtMs) return false
  return endedAtMs - startedAtMs < policy.deadlineMs / 2
}
