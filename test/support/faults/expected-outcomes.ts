import type { FaultCode } from './expected-codes.ts'

/** The view that a caller must have of a fault when there is no other target. */
export type Outcome =
  /** A whole answer. `text: 'other'`: its words are not exactly those of a healthy upstream. */
  | {
      readonly type: 'whole'
      readonly text: 'same' | 'other'
      /** The number of words; 20 where it is absent. */
      readonly words?: number
    }
  /** A plain error answer. */
  | {
      readonly type: 'error'
      readonly code: FaultCode
      /** The status in place of the code's own. */
      readonly status?: number
      /** The message, where it says more than the code's own. */
      readonly message?: string
      /** Bounds of `retry-after` in seconds. */
      readonly retryAfter?: readonly [min: number, max: number]
    }
  /** An error event after the words that had come; no terminator. */
  | { readonly type: 'event'; readonly code: FaultCode }

export interface FaultExpectation {
  readonly stream: Outcome
  readonly whole: Outcome
  /** The fault is found by a timer: the channel gets short ones. */
  readonly isTimed: boolean
}

const good: Outcome = { type: 'whole', text: 'same' }
const changed: Outcome = { type: 'whole', text: 'other' }
const error = (code: FaultCode): Outcome => ({ type: 'error', code })
const event = (code: FaultCode): Outcome => ({ type: 'event', code })
const limited = (min: number, max: number): Outcome => ({
  type: 'error',
  code: 'upstream_rate_limited',
  retryAfter: [min, max],
})

const same = (outcome: Outcome): FaultExpectation => ({ stream: outcome, whole: outcome, isTimed: false })
const timed = (outcome: Outcome): FaultExpectation => ({ ...same(outcome), isTimed: true })
const mixed = (stream: Outcome, whole: Outcome): FaultExpectation => ({ stream, whole, isTimed: false })
const stored = (code: FaultCode, status: number): FaultExpectation => same({ type: 'error', code, status })

const late = error('upstream_timeout')
const lateBy = (message: string): Outcome => ({ type: 'error', code: 'upstream_timeout', message })
const bad = error('upstream_bad_response')
const overloaded = error('upstream_overloaded')
const failed = error('upstream_error')
const quota = error('upstream_quota')
const refused = error('upstream_credential')
const cut = error('upstream_disconnected')
const empty = error('upstream_empty')

/** The outcomes by the names of the ready-made scripts. The matrix's own test finds scripts without a row here. */
export const expectedOutcomes: Readonly<Record<string, FaultExpectation>> = {
  'F1-dns': same(error('upstream_unreachable')),
  'F2-refused': same(error('upstream_unreachable')),
  'F3-expired': same(error('upstream_tls')),
  'F3-wrong-host': same(error('upstream_tls')),
  'F3-self-signed': same(error('upstream_tls')),
  'F3-old-version': same(error('upstream_tls')),
  'F3-garbage': same(error('upstream_tls')),
  // Nothing is wrong with what is spoken: the connection broke before anything was.
  'F3-handshake-reset': same(cut),
  'F4-reused-reset': same(good),
  'F4-reused-close': same(good),
  'F5-handshake-silence': timed(lateBy('The model provider did not finish the TLS handshake in time.')),
  'F5-never-read': timed(late),
  'F5-no-headers': timed(late),
  'F6-silence': timed(late),
  'F6-pings': timed(late),
  'F7-stall': timed(event('upstream_timeout')),
  'F7-pings': timed(event('upstream_timeout')),
  'F8-reset-before-headers': same(cut),
  'F8-close-before-headers': same(cut),
  'F8-reset-before-content': same(cut),
  'F8-reset': same(event('upstream_disconnected')),
  'F8-close': same(event('upstream_disconnected')),
  'F8-half-close': same(event('upstream_disconnected')),
  'F9-truncated': same(bad),
  'F9-length': same(bad),
  // A stream is whole with its terminator; what its framing lacks, or adds (F43), after that loses nothing.
  'F9-no-last-chunk': mixed(good, bad),
  // A body that may end anywhere: a stream without its end was cut (F27, F8), a whole answer cannot be read.
  'F9-until-close': mixed(cut, bad),
  'F10-first-event': same(bad),
  'F10-later-event': same(event('upstream_bad_response')),
  'F10-half-event': same(event('upstream_bad_response')),
  'F10-body': same(bad),
  'F11-page': same(bad),
  'F11-type': same(bad),
  'F11-empty': same(empty),
  'F12-own': same(overloaded),
  'F12-error-text': same(overloaded),
  'F12-object-error': same(overloaded),
  'F12-code-message': same(overloaded),
  'F12-type-error': same(overloaded),
  'F12-base-resp': same(overloaded),
  'F12-in-stream': same(event('upstream_error')),
  'F13-seconds': same(limited(1, 2)),
  'F13-milliseconds': same(limited(1, 2)),
  'F13-date': same(limited(1, 3)),
  'F13-hour': same(limited(60, 60)),
  'F13-unsaid': same(limited(1, 60)),
  'F13-unreadable': same(limited(1, 60)),
  'F14-402': same(quota),
  'F14-as-429': same(quota),
  'F14-as-400': same(quota),
  'F14-as-403': same(quota),
  'F15-500': same(failed),
  'F15-502': same(failed),
  'F15-504': same(late),
  'F15-520': same(failed),
  'F15-empty': same(failed),
  'F16-503': same(overloaded),
  'F16-529': same(overloaded),
  'F16-retry-after': same({ type: 'error', code: 'upstream_overloaded', retryAfter: [1, 2] }),
  'F16-in-stream': same(event('upstream_overloaded')),
  'F17-401': same(refused),
  'F17-403': same(refused),
  'F17-page': same(failed),
  'F18-404': same(error('upstream_model_missing')),
  'F19-400': same(error('context_length_exceeded')),
  'F20-400': same(error('upstream_rejected')),
  'F20-408': same(late),
  'F20-409': stored('upstream_rejected', 409),
  'F20-422': stored('upstream_rejected', 422),
  'F20-detail': stored('upstream_rejected', 422),
  'F21-413': same(error('request_too_large')),
  'F22-400': same(error('content_policy_violation')),
  'F22-finish-chat': same(changed),
  'F22-finish-messages': same(changed),
  'F23-empty-stream': same(empty),
  'F23-no-content': same(empty),
  'F23-empty-choices': same(error('upstream_empty')),
  'F23-empty-body': same(bad),
  'F24-empty-deltas': same(good),
  'F24-no-choices': same(good),
  'F24-usage-missing': same(good),
  'F24-usage-negative': same(good),
  'F24-usage-huge': same(good),
  'F24-usage-text': same(good),
  'F25-overloaded': same(overloaded),
  'F25-rate-limit': same(limited(1, 60)),
  'F25-after-start': same(failed),
  'F26-error-later': same(event('upstream_error')),
  'F26-rate-limit': same(event('upstream_rate_limited')),
  'F27-finish-seen': same(good),
  'F27-finish-missing': same(event('upstream_disconnected')),
  'F28-finish-seen': same(good),
  'F28-finish-missing': same(event('upstream_disconnected')),
  'F29-second-start': same(good),
  'F29-repeat': same(good),
  'F29-after-end': same(good),
  'F30-closed-block': same(event('upstream_bad_response')),
  'F30-wrong-index': same(event('upstream_bad_response')),
  'F30-swap': same(changed),
  'F31-crlf': same(good),
  'F31-cr': same(good),
  'F31-mixed': same(good),
  'F31-no-blank-line': same(good),
  'F32-mark': same(good),
  'F32-mark-whole': same(good),
  'F33-split': same(changed),
  'F34-broken': same(changed),
  'F35-comments': same(good),
  'F35-unknown': same(good),
  'F36-gzip': same(good),
  'F36-br': same(good),
  'F36-deflate': same(good),
  'F36-undeclared': same(bad),
  'F36-bomb': same(bad),
  'F36-cut': same(event('upstream_disconnected')),
  'F37-large': same(changed),
  'F37-oversized': same(event('upstream_bad_response')),
  'F38-burst': same(good),
  'F38-bytes': same(changed),
  'F39-drip': timed(late),
  'F39-drip-later': timed(event('upstream_timeout')),
  'F40-spaces': timed(late),
  'F40-endless': timed(event('upstream_timeout')),
  'F41-informational': same(good),
  'F41-flood': same(bad),
  'F41-204': same(empty),
  'F41-101': same(bad),
  'F41-302': same(bad),
  'F42-early': same(error('request_too_large')),
  'F43-trailers': mixed(good, bad),
  'F43-two-lengths': same(bad),
  'F43-length-and-chunks': same(bad),
  'F43-bad-chunk': same(bad),
  'F43-negative-length': same(bad),
  'F43-status-line': same(bad),
  'F43-header-flood': same(bad),
  'F43-bad-chunk-end': same(event('upstream_bad_response')),
  'F44-extra': same(good),
  'F44-length-short': same(bad),
}
