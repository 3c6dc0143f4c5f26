import { type ErrorCode, errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import { wholeSeconds } from '../kit/time/whole-seconds.ts'
import type { Exclusion, ExclusionReason } from './plan-attempts.ts'

/** The longest `retry-after`. SDKs ignore longer waits, or wait for the whole time. */
const MAX_RETRY_AFTER_SECONDS = 60
const MIN_RETRY_AFTER_SECONDS = 1

const codes: Readonly<Record<ExclusionReason, ErrorCode>> = {
  failing: 'upstream_overloaded',
  overloaded: 'upstream_overloaded',
  probing: 'upstream_overloaded',
  full: 'upstream_overloaded',
  unreachable: 'upstream_unreachable',
  'rate-limited': 'upstream_rate_limited',
  insecure: 'upstream_tls',
  refused: 'upstream_credential',
  'out-of-credit': 'upstream_quota',
  'model-missing': 'upstream_model_missing',
}

/** The codes in the order of their choice: reasons that pass with time come before reasons that need an operator. */
const order: readonly ErrorCode[] = [
  'upstream_overloaded',
  'upstream_unreachable',
  'upstream_rate_limited',
  'upstream_quota',
  'upstream_credential',
  'upstream_tls',
  'upstream_model_missing',
]

/**
 * The error when every candidate is excluded: the first code of `order` that any exclusion has, the reason for each
 * exclusion, and the time to try again. A rate limit is the answer only if no other reason passes by itself.
 */
export function explainExclusions(excluded: readonly Exclusion[], monotonicMs: number): Failure {
  const found = new Set(excluded.map(({ reason }) => codes[reason]))
  const code = order.find((one) => found.has(one))
  if (code === undefined) return createFailure('no_channel')
  const passing = excluded.filter(({ reason }) => errorRow(codes[reason]).retry === 'wait')
  const earliestMs = findEarliestReturnMs(passing)
  const mayCome = errorRow(code).retry === 'wait'
  const message = messageOf(code, excluded)
  if (earliestMs === undefined || !mayCome) return createFailure(code, message)
  const seconds = wholeSeconds(earliestMs - monotonicMs)
  const retryAfterSeconds = Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(MIN_RETRY_AFTER_SECONDS, seconds))
  return createFailure(code, { ...message, retryAfterSeconds })
}

const states: Readonly<Record<ExclusionReason, string>> = {
  failing: 'out of rotation after failures',
  overloaded: 'overloaded',
  probing: 'being probed after failures',
  full: 'at the concurrency that its channel allows',
  unreachable: 'out of rotation, as it could not be reached',
  'rate-limited': 'at its rate limit',
  insecure: 'out of rotation, as no secure connection could be made',
  refused: 'out of rotation, as it refused the credential of this gateway',
  'out-of-credit': 'out of credit',
  'model-missing': 'without this model',
}

/**
 * The message for reasons that pass. It mentions no answer of a provider, since none was called. Reasons for an
 * operator have the message of the error table.
 */
function messageOf(code: ErrorCode, excluded: readonly Exclusion[]): { readonly message?: string } {
  if (errorRow(code).retry !== 'wait') return {}
  const counts = new Map<string, number>()
  for (const { reason } of excluded) counts.set(states[reason], (counts.get(states[reason]) ?? 0) + 1)
  const parts = [...counts].map(([state, count]) => `${count} ${state}`)
  return {
    message: `No target of this model can be asked now: ${parts.join('; ')}. Try again after the time in retry-after.`,
  }
}

/**
 * The earliest time at which one of the candidates is in rotation again, in monotonic time. Undefined if no time is
 * known.
 */
export function findEarliestReturnMs(excluded: readonly Exclusion[]): number | undefined {
  let earliest: number | undefined
  for (const { untilMs } of excluded) {
    if (untilMs !== undefined && (earliest === undefined || untilMs < earliest)) earliest = untilMs
  }
  return earliest
}
