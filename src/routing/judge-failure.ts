import type { ErrorCode } from '../canonical/error-table.ts'
import type { Failure } from '../canonical/failure.ts'
import type { Candidate } from './candidate.ts'
import { isForbidden } from './health/assess-health-impact.ts'

/** The next step after a failed attempt that has shown no part of an answer. */
export type Verdict =
  /** The request itself is at fault. No other target would succeed, and none may be called instead. */
  | { readonly next: 'stop' }
  /** The request is too large for this target. Only a target that is not known to be as small may succeed. */
  | {
      readonly next: 'larger'
      /** The highest number of tokens that the provider's error text names; undefined where it names none. */
      readonly statedTokens: number | undefined
    }
  /**
   * Another target may succeed. `excludes` names the part of this candidate that must not be tried again. `mayRetry`
   * is true for a fault that often passes by itself, so that the same candidate may be retried first.
   */
  | {
      readonly next: 'elsewhere'
      readonly excludes: 'model-at-credential' | 'credential' | 'target' | 'channel'
      readonly mayRetry: boolean
    }

const stop: Verdict = { next: 'stop' }
const excludedCredential: Verdict = { next: 'elsewhere', excludes: 'credential', mayRetry: false }
const excludedModel: Verdict = { next: 'elsewhere', excludes: 'model-at-credential', mayRetry: false }
const coolingModel: Verdict = { next: 'elsewhere', excludes: 'model-at-credential', mayRetry: true }
const excludedTarget: Verdict = { next: 'elsewhere', excludes: 'target', mayRetry: false }
const unhealthyTarget: Verdict = { next: 'elsewhere', excludes: 'target', mayRetry: true }
const excludedChannel: Verdict = { next: 'elsewhere', excludes: 'channel', mayRetry: false }
const unhealthyChannel: Verdict = { next: 'elsewhere', excludes: 'channel', mayRetry: true }

/**
 * The verdict of each code. Codes that are missing here stop the request: after a provider has refused it, no other
 * provider is tried.
 */
const verdicts: Partial<Record<ErrorCode, Verdict>> = {
  upstream_credential: excludedCredential,
  upstream_quota: excludedCredential,
  // Providers limit each model by itself, and the cooldown is that of the model, so another model is tried.
  upstream_rate_limited: coolingModel,
  upstream_model_missing: excludedTarget,
  upstream_error: unhealthyTarget,
  upstream_overloaded: unhealthyTarget,
  upstream_empty: unhealthyTarget,
  upstream_bad_response: excludedTarget,
  upstream_disconnected: unhealthyTarget,
  // The timeout has passed once. Waiting again for the same target would double the wait.
  upstream_timeout: excludedTarget,
  upstream_unreachable: unhealthyChannel,
  // A fault of the gateway, not of the channel. Another channel may have an open connection.
  out_of_descriptors: excludedTarget,
  upstream_tls: excludedChannel,
  destination_refused: excludedChannel,
  // Another channel may speak the caller's own format, so that nothing is lost.
  cannot_be_carried: excludedTarget,
  previous_response_not_found: excludedTarget,
  // Another channel may accept the address itself.
  media_unavailable: excludedTarget,
  media_over_capacity: excludedTarget,
  thread_unsupported: excludedTarget,
  operation_not_supported: excludedTarget,
}

export function judgeFailure(failure: Failure): Verdict {
  if (failure.code === 'context_length_exceeded' || failure.code === 'request_too_large') {
    return { next: 'larger', statedTokens: findStatedTokens(failure.upstream?.message) }
  }
  if (failure.code === 'upstream_credential' && isForbidden(failure)) return excludedModel
  return verdicts[failure.code] ?? stop
}

/** Whether a verdict on one candidate also rules out another. */
export function rulesOut(verdict: Verdict, failed: Candidate, other: Candidate): boolean {
  if (verdict.next === 'stop') return true
  if (verdict.next === 'larger') return !mayReadMore(other, failed, verdict.statedTokens)
  if (failed.target.channel.name !== other.target.channel.name) return false
  const isSameModel = failed.target.upstreamModel === other.target.upstreamModel
  const isSameCredential = failed.credential?.id === other.credential?.id
  switch (verdict.excludes) {
    case 'channel':
      return true
    case 'target':
      return isSameModel
    case 'credential':
      return isSameCredential
    case 'model-at-credential':
      return isSameModel && isSameCredential
  }
}

/**
 * Whether another candidate may have a longer context window. It compares the windows that the operator declares for
 * both models or, if none is declared for the first, the provider's error text. A fallback with another public name and
 * no declared window is tried, since the operator configured it for such cases.
 */
function mayReadMore(other: Candidate, failed: Candidate, statedTokens: number | undefined): boolean {
  const limit = failed.target.capabilities.contextWindowTokens ?? statedTokens
  const declared = other.target.capabilities.contextWindowTokens
  if (declared === undefined || limit === undefined) return other.publicName !== failed.publicName
  return declared > limit && declared >= (statedTokens ?? 0)
}

/** The lowest number that is read as a token count in a provider's error about a request that is too long. */
const MIN_TOKENS = 256
const MAX_TOKENS = 1_000_000_000

/**
 * The highest token count in an error's text: the model's window or the length of the request, whichever is larger.
 * Examples are "maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens" (chat format)
 * and "prompt is too long: 210000 tokens > 200000 maximum" (messages format), both seen 2026-11-20.
 */
function findStatedTokens(words: string | undefined): number | undefined {
  let highest: number | undefined
  for (const [text] of (words ?? '').slice(0, 2_000).matchAll(/\d[\d,_]*/g)) {
    const count = Number(text.replace(/[,_]/g, ''))
    if (count >= MIN_TOKENS && count <= MAX_TOKENS && count > (highest ?? 0)) highest = count
  }
  return highest
}
