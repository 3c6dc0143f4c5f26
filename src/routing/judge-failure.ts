import type { ErrorCode } from '../canonical/error-table.ts'
import type { Failure } from '../canonical/failure.ts'
import type { Candidate } from './candidate.ts'

/** The next step after an attempt failed and nothing of an answer has been shown. */
export type Verdict =
  /** The request itself is at fault: no other target would do better, and none may be asked instead. */
  | { readonly next: 'stop' }
  /** The request is too large here: only a target that is not known to take as little may do better. */
  | {
      readonly next: 'larger'
      /** The most tokens that the provider's own words name; undefined where they name none. */
      readonly statedTokens: number | undefined
    }
  /**
   * Another target may succeed; `excludes` names the part of this candidate that must not be tried again.
   * `mayRepeat`: a fault that often passes by itself, so the same candidate may be asked again first.
   */
  | {
      readonly next: 'elsewhere'
      readonly excludes: 'credential' | 'target' | 'channel'
      readonly mayRepeat: boolean
    }

const stop: Verdict = { next: 'stop' }
const excludedCredential: Verdict = { next: 'elsewhere', excludes: 'credential', mayRepeat: false }
const coolingCredential: Verdict = { next: 'elsewhere', excludes: 'credential', mayRepeat: true }
const excludedTarget: Verdict = { next: 'elsewhere', excludes: 'target', mayRepeat: false }
const unhealthyTarget: Verdict = { next: 'elsewhere', excludes: 'target', mayRepeat: true }
const excludedChannel: Verdict = { next: 'elsewhere', excludes: 'channel', mayRepeat: false }
const unhealthyChannel: Verdict = { next: 'elsewhere', excludes: 'channel', mayRepeat: true }

/** Codes that are not here stop: what the provider refuses of a request, it is not shopped around for. */
const verdicts: Partial<Record<ErrorCode, Verdict>> = {
  upstream_credential: excludedCredential,
  upstream_quota: excludedCredential,
  upstream_rate_limited: coolingCredential,
  upstream_model_missing: excludedTarget,
  upstream_error: unhealthyTarget,
  upstream_overloaded: unhealthyTarget,
  upstream_empty: unhealthyTarget,
  upstream_bad_response: excludedTarget,
  upstream_disconnected: unhealthyTarget,
  // Silence was waited for once; waiting again on the same target would double it.
  upstream_timeout: excludedTarget,
  upstream_unreachable: unhealthyChannel,
  // A fault of ours, not the channel's; another channel may have a connection that is open.
  out_of_descriptors: excludedTarget,
  upstream_tls: excludedChannel,
  destination_refused: excludedChannel,
  // Another channel may speak the caller's own format, and lose nothing.
  cannot_be_carried: excludedTarget,
  previous_response_not_found: excludedTarget,
  // Another channel may take the address itself.
  media_unavailable: excludedTarget,
  media_over_capacity: excludedTarget,
  thread_unsupported: excludedTarget,
  operation_not_supported: excludedTarget,
}

export function judgeFailure(failure: Failure): Verdict {
  if (failure.code === 'context_length_exceeded' || failure.code === 'request_too_large') {
    return { next: 'larger', statedTokens: findStatedTokens(failure.upstream?.message) }
  }
  return verdicts[failure.code] ?? stop
}

/** Whether a verdict on one candidate also rules out another. */
export function rulesOut(verdict: Verdict, failed: Candidate, other: Candidate): boolean {
  if (verdict.next === 'stop') return true
  if (verdict.next === 'larger') return !mayReadMore(other, failed, verdict.statedTokens)
  const sameChannel = failed.target.channel.name === other.target.channel.name
  switch (verdict.excludes) {
    case 'channel':
      return sameChannel
    case 'target':
      return sameChannel && failed.target.upstreamModel === other.target.upstreamModel
    case 'credential':
      return sameChannel && failed.credential?.id === other.credential?.id
  }
}

/**
 * Compares what the operator declares of both models or, where nothing is declared of the first, the provider's words.
 * A fallback of another public name of which nothing is declared is tried: the operator wrote it for this.
 */
function mayReadMore(other: Candidate, failed: Candidate, statedTokens: number | undefined): boolean {
  const limit = failed.target.capabilities.contextWindowTokens ?? statedTokens
  const declared = other.target.capabilities.contextWindowTokens
  if (declared === undefined || limit === undefined) return other.publicName !== failed.publicName
  return declared > limit && declared >= (statedTokens ?? 0)
}

/** A number below this, in what a provider says of a request that is too long, is not a token count. */
const MIN_TOKENS = 256
const MAX_TOKENS = 1_000_000_000

/**
 * The largest count that an error's words name: the model's window, or what the request had, whichever is more.
 * Such as "maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens" (chat format) or
 * "prompt is too long: 210000 tokens > 200000 maximum" (messages format), both seen 2026-11-20.
 */
function findStatedTokens(words: string | undefined): number | undefined {
  let highest: number | undefined
  for (const [text] of (words ?? '').slice(0, 2_000).matchAll(/\d[\d,_]*/g)) {
    const count = Number(text.replace(/[,_]/g, ''))
    if (count >= MIN_TOKENS && count <= MAX_TOKENS && count > (highest ?? 0)) highest = count
  }
  return highest
}
