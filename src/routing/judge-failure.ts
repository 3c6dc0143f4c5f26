import type { ErrorCode } from '../canonical/error-table.ts'
import type { Failure } from '../canonical/failure.ts'
import type { Candidate } from './plan-attempts.ts'

/** What to do after an attempt failed and nothing of an answer has been shown. */
export type Verdict =
  /** The request itself is at fault: no other target would do better, and none may be asked instead. */
  | { readonly next: 'stop' }
  /**
   * Others may do better; `spent` says what of this candidate must not be tried again once it is given up.
   * `mayRepeat`: a fault that often passes by itself, so the same candidate may be asked again first.
   */
  | {
      readonly next: 'elsewhere'
      readonly spent: 'credential' | 'target' | 'channel'
      readonly mayRepeat: boolean
    }

const stop: Verdict = { next: 'stop' }
const spentCredential: Verdict = { next: 'elsewhere', spent: 'credential', mayRepeat: false }
const coolingCredential: Verdict = { next: 'elsewhere', spent: 'credential', mayRepeat: true }
const spentTarget: Verdict = { next: 'elsewhere', spent: 'target', mayRepeat: false }
const ailingTarget: Verdict = { next: 'elsewhere', spent: 'target', mayRepeat: true }
const spentChannel: Verdict = { next: 'elsewhere', spent: 'channel', mayRepeat: false }
const ailingChannel: Verdict = { next: 'elsewhere', spent: 'channel', mayRepeat: true }

const verdicts: Partial<Record<ErrorCode, Verdict>> = {
  upstream_credential: spentCredential,
  upstream_quota: spentCredential,
  upstream_rate_limited: coolingCredential,
  upstream_model_missing: spentTarget,
  upstream_error: ailingTarget,
  upstream_overloaded: ailingTarget,
  upstream_empty: ailingTarget,
  upstream_bad_response: spentTarget,
  upstream_disconnected: spentTarget,
  // Silence was waited for once; waiting again on the same target would double it.
  upstream_timeout: spentTarget,
  upstream_unreachable: ailingChannel,
  upstream_tls: spentChannel,
  destination_refused: spentChannel,
  // Another channel may speak the caller's own format, and lose nothing.
  cannot_be_carried: spentTarget,
  thread_unsupported: spentTarget,
  // Another channel may have the operation.
  operation_not_supported: spentTarget,
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
