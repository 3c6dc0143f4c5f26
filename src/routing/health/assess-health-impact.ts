import type { ErrorCode } from '../../canonical/error-table.ts'
import type { Failure } from '../../canonical/failure.ts'

export const shutReasons = [
  'failing',
  'overloaded',
  'rate-limited',
  'refused',
  'out-of-credit',
  'model-missing',
  'unreachable',
  'insecure',
] as const

/** Why something is left alone for a while. */
export type ShutReason = (typeof shutReasons)[number]

export const healthScopes = ['channel', 'credential', 'model'] as const

/** What of a candidate a failure speaks of. */
export type HealthScope = (typeof healthScopes)[number]

/** What one failure says of the health of what was asked. */
export type HealthImpact =
  /** The caller's own fault, or ours: it says nothing. */
  | { readonly type: 'none' }
  /** One of several that together open the breaker. */
  | { readonly type: 'failure'; readonly scope: HealthScope; readonly reason: ShutReason }
  /** Enough by itself. */
  | {
      readonly type: 'cool'
      readonly scope: HealthScope
      readonly reason: ShutReason
      /** Undefined where nothing says how long: a wait that doubles. */
      readonly forMs: number | undefined
    }

const LONG_MS = 10 * 60_000
const MISTAKE_MS = 60_000
const LONGEST_ASKED_MS = 60 * 60_000
const LONGEST_OVERLOAD_MS = 60_000

const none: HealthImpact = { type: 'none' }
const failing: HealthImpact = { type: 'failure', scope: 'model', reason: 'failing' }
const unreachable: HealthImpact = { type: 'failure', scope: 'channel', reason: 'unreachable' }

/** Reliability table F1 to F46, the columns of what counts and what cools. */
const harms: Partial<Record<ErrorCode, HealthImpact>> = {
  upstream_error: failing,
  upstream_empty: failing,
  upstream_bad_response: failing,
  upstream_disconnected: failing,
  upstream_timeout: failing,
  upstream_unreachable: unreachable,
  upstream_tls: { type: 'cool', scope: 'channel', reason: 'insecure', forMs: MISTAKE_MS },
  upstream_quota: { type: 'cool', scope: 'credential', reason: 'out-of-credit', forMs: LONG_MS },
  upstream_model_missing: { type: 'cool', scope: 'model', reason: 'model-missing', forMs: MISTAKE_MS },
}

export function assessHealthImpact(failure: Failure): HealthImpact {
  const askedMs = failure.retryAfterSeconds === undefined ? undefined : failure.retryAfterSeconds * 1_000
  switch (failure.code) {
    case 'upstream_rate_limited': {
      const forMs = askedMs === undefined ? undefined : Math.min(askedMs, LONGEST_ASKED_MS)
      return { type: 'cool', scope: 'model', reason: 'rate-limited', forMs }
    }
    case 'upstream_overloaded': {
      if (askedMs === undefined || askedMs <= 0) return failing
      const forMs = Math.min(askedMs, LONGEST_OVERLOAD_MS)
      return { type: 'cool', scope: 'model', reason: 'overloaded', forMs }
    }
    case 'upstream_credential':
      // A 403 is often about one model or place; the same credential may still serve others.
      return {
        type: 'cool',
        scope: isForbidden(failure) ? 'model' : 'credential',
        reason: 'refused',
        forMs: LONG_MS,
      }
    default:
      return harms[failure.code] ?? none
  }
}

function isForbidden({ upstream }: Failure): boolean {
  return upstream?.status === 403
}

/** Whether somebody has to act before it passes: worth an alert. */
export function needsOperator(reason: ShutReason): boolean {
  return ['refused', 'out-of-credit', 'model-missing', 'insecure'].includes(reason)
}
