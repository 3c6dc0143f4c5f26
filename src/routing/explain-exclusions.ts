import { type ErrorCode, errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Exclusion, ExclusionReason } from './plan-attempts.ts'

/** The SDKs ignore longer waits, or wait them out. */
const LONGEST_TOLD_SECONDS = 60
const SHORTEST_TOLD_SECONDS = 1

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

/** What passes by waiting before what somebody must mend. */
const order: readonly ErrorCode[] = [
  'upstream_rate_limited',
  'upstream_overloaded',
  'upstream_unreachable',
  'upstream_quota',
  'upstream_credential',
  'upstream_tls',
  'upstream_model_missing',
]

/** What the caller is told when nothing could be asked: the first code that any exclusion has, and when to come back. */
export function explainExclusions(excluded: readonly Exclusion[], nowMs: number): Failure {
  const found = new Set(excluded.map(({ reason }) => codes[reason]))
  const code = order.find((one) => found.has(one))
  if (code === undefined) return createFailure('no_channel')
  const passing = excluded.filter(({ reason }) => errorRow(codes[reason]).retry === 'wait')
  const soonestMs = findSoonest(passing)
  if (soonestMs === undefined || errorRow(code).retry !== 'wait') return createFailure(code)
  const seconds = Math.ceil((soonestMs - nowMs) / 1_000)
  const retryAfterSeconds = Math.min(LONGEST_TOLD_SECONDS, Math.max(SHORTEST_TOLD_SECONDS, seconds))
  return createFailure(code, { retryAfterSeconds })
}

/** When the first of them may be asked again, by the clock that never goes back; undefined where no time is known. */
export function findSoonest(excluded: readonly Exclusion[]): number | undefined {
  let soonest: number | undefined
  for (const { untilMs } of excluded) {
    if (untilMs !== undefined && (soonest === undefined || untilMs < soonest)) soonest = untilMs
  }
  return soonest
}
