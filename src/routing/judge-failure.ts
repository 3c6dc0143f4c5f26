import type { ErrorCode } from '../canonical/error-table.ts'
import type { Failure } from '../canonical/failure.ts'
import type { Candidate } from './plan-attempts.ts'

/** What to do after an attempt failed and nothing of an answer has been shown. */
export type Verdict =
  /** The request itself is at fault: no other target would do better, and none may be asked instead. */
  | { readonly next: 'stop' }
  /** Others may do better; `spent` says what of this candidate must not be tried again in this request. */
  | { readonly next: 'elsewhere'; readonly spent: 'credential' | 'target' | 'channel' }

const stop: Verdict = { next: 'stop' }
const spentCredential: Verdict = { next: 'elsewhere', spent: 'credential' }
const spentTarget: Verdict = { next: 'elsewhere', spent: 'target' }
const spentChannel: Verdict = { next: 'elsewhere', spent: 'channel' }

const verdicts: Partial<Record<ErrorCode, Verdict>> = {
  upstream_credential: spentCredential,
  upstream_quota: spentCredential,
  upstream_rate_limited: spentCredential,
  upstream_model_missing: spentTarget,
  upstream_error: spentTarget,
  upstream_overloaded: spentTarget,
  upstream_empty: spentTarget,
  upstream_bad_response: spentTarget,
  upstream_disconnected: spentTarget,
  upstream_timeout: spentTarget,
  upstream_unreachable: spentChannel,
  upstream_tls: spentChannel,
  destination_refused: spentChannel,
  // Another channel may speak the caller's own format, and lose nothing.
  cannot_be_carried: spentTarget,
  thread_unsupported: spentTarget,
}

export function judgeFailure(failure: Failure): Verdict {
  return verdicts[failure.code] ?? stop
}

/** Whether a verdict on one candidate also rules out another. */
export function rulesOut(verdict: Verdict, failed: Candidate, other: Candidate): boolean {
  if (verdict.next === 'stop') return true
  const sameChannel = failed.target.channel.name === other.target.channel.name
  switch (verdict.spent) {
    case 'channel':
      return sameChannel
    case 'target':
      return sameChannel && failed.target.upstreamModel === other.target.upstreamModel
    case 'credential':
      return sameChannel && failed.credential?.id === other.credential?.id
  }
}
