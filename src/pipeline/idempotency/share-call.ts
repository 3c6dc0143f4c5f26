import { createHash } from 'node:crypto'
import { GatewayError, innerReasonOf } from '../../canonical/failure.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { CallName, Claimed, IdempotentAnswer } from '../../stored-answers/idempotency-store.ts'
import type { CallClaim, IdempotentCalls } from '../../stored-answers/idempotent-calls.ts'
import type { AnswerBudget } from '../exchange/answer-budget.ts'
import type { CallerRequest, OperationRequest } from '../exchange/caller-request.ts'
import { asksForDryRun } from '../exchange/dry-run.ts'
import { SharedAnswer } from './shared-answer.ts'

export interface SharingDependencies {
  readonly idempotentCalls: IdempotentCalls<SharedAnswer>
  readonly answerBudget: AnswerBudget
}

export const IDEMPOTENCY_HEADER = 'idempotency-key'
/**
 * The form of a key. Its length limit is that of Stripe (https://docs.stripe.com/api/idempotent_requests, seen
 * 2026-11-23).
 */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/

/**
 * The waits between two look-ups of an answer that another process makes. The answer is stored a moment after its end.
 */
const FIRST_WAIT_MS = 50
const MAX_WAIT_MS = 1_000

/** Headgate's headers that change the meaning of the same body, besides those that are passed on to the provider. */
const ownHeaders = ['x-headgate-strict', 'x-headgate-usage'] as const

/**
 * Whether an idempotency key applies to the request. Token counts and dry runs cost nothing, so it does not apply to
 * them.
 */
export function isShareable(
  request: CallerRequest,
  { idempotentCalls }: Pick<SharingDependencies, 'idempotentCalls'>,
): request is OperationRequest {
  return (
    request.type === 'operation' &&
    idempotentCalls.isOn &&
    request.format.kind !== 'token-count' &&
    !asksForDryRun(request.headers)
  )
}

/** The role of a request in a shared call. */
export type Sharing = { readonly type: 'joins'; readonly answer: SharedAnswer } | LeadingRequest

export interface LeadingRequest {
  readonly type: 'leads'
  readonly claim: CallClaim<SharedAnswer>
  readonly fingerprint: string
}

/** Joins the call of the same idempotency key, or claims it. Throws `GatewayError`. */
export function shareCall(
  request: OperationRequest,
  { idempotentCalls, answerBudget }: SharingDependencies,
): Sharing {
  const fingerprint = fingerprintOf(request)
  const opened = idempotentCalls.open(nameOf(request), fingerprint, () => {
    const { maxAnswerBytes: maxBytes } = idempotentCalls
    return new SharedAnswer({ fingerprint, maxBytes, hold: answerBudget.open() })
  })
  switch (opened.type) {
    case 'conflict':
      throw new GatewayError('idempotency_conflict')
    case 'joins':
      if (!opened.call.canJoin) throw new GatewayError('idempotency_in_progress')
      return { type: 'joins', answer: opened.call }
    case 'first':
      return { type: 'leads', claim: opened.claim, fingerprint }
  }
}

export interface AnswerWait {
  readonly clock: Pick<Clock, 'monotonicMs' | 'startTimer'>
  /** The time after which the request no longer waits for an answer that another process makes. */
  readonly deadlineAtMs: number
}

/**
 * The stored answer of the call; undefined where the call has to be made now. Waits while another process makes the
 * answer. Rejects with `GatewayError`.
 */
export async function findStoredAnswer(
  { claim, fingerprint }: LeadingRequest,
  { clock, deadlineAtMs }: AnswerWait,
): Promise<IdempotentAnswer | undefined> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    const claimed = await look(claim)
    if (claimed.type === 'claimed') return undefined
    const earlierFingerprint =
      claimed.type === 'finished' ? claimed.call.answer.fingerprint : claimed.fingerprint
    if (earlierFingerprint !== fingerprint) throw new GatewayError('idempotency_conflict')
    if (claimed.type === 'finished') return claimed.call.answer
    const isLate = clock.monotonicMs() + waitMs > deadlineAtMs
    if (isLate || claim.call.isGivenUp) throw new GatewayError('idempotency_in_progress')
    await new Promise<void>((resolve) => void clock.startTimer(waitMs, resolve))
  }
}

async function look(claim: CallClaim<SharedAnswer>): Promise<Claimed> {
  try {
    return await claim.look()
  } catch (cause) {
    // If the call were made although its answer may be stored, it would be billed twice.
    throw new GatewayError('store_unavailable', { logCause: innerReasonOf(cause) }, { cause })
  }
}

function nameOf({ caller, headers }: OperationRequest): CallName {
  const key = headers[IDEMPOTENCY_HEADER]
  if (typeof key !== 'string' || !KEY_FORM.test(key)) {
    throw new GatewayError('invalid_field', {
      param: IDEMPOTENCY_HEADER,
      message: 'The header "idempotency-key" must be 1 to 255 visible characters of ASCII.',
    })
  }
  return { keyId: caller.keyId, id: createHash('sha256').update(key).digest('base64url') }
}

/**
 * A fingerprint that is equal for requests with the same path, query and body and the same headers that affect their
 * meaning.
 */
function fingerprintOf({ path, query, headers, body, form, format }: OperationRequest): string {
  const hash = createHash('sha256')
  const named = [...format.forwardedHeaders, ...ownHeaders].map((name) => String(headers[name] ?? ''))
  hash.update(JSON.stringify([path, withoutKey(query), ...named]))
  for (const chunk of body.chunks) hash.update(chunk)
  if (form?.digest !== undefined) hash.update(form.digest)
  return hash.digest('base64url')
}

/** The query without the API key that some clients send there. */
function withoutKey(query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.delete('key')
  return parameters.toString()
}
