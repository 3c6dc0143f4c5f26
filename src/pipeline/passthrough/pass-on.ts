import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { AttemptEnd } from '../../routing/attempt-sequence.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { UpstreamHeaders, UpstreamRequest } from '../../upstream/upstream.ts'
import { emptyBody, type UpstreamBody } from '../../upstream/upstream-body.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import type { AttemptOutcome, Reached } from '../attempt/attempt-outcome.ts'
import { failedEnding } from '../attempt/attempt-outcome.ts'
import { buildUpstreamRequest } from '../attempt/build-upstream-request.ts'
import { isCompressed } from '../attempt/read-result.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { writeAnswerHeaders, writeCostHeader } from '../response/answer-headers.ts'
import { passAnswerHeaders } from '../response/pass-answer-headers.ts'
import type { AttemptCharge } from '../spending/attempt-charge.ts'
import { flatCostOf, settlePassthrough } from './charge-passthrough.ts'
import { passedAnswerHeaders, passRequestHeaders } from './pass-headers.ts'
import { callPassthrough, type PassthroughEnd } from './passthrough-call.ts'
import type { AllowedCall, PassthroughResult } from './passthrough-input.ts'
import { readQuery, writeSegments } from './read-path.ts'
import { createUsageSniffer, type UsageSniffer } from './usage-sniffer.ts'

/** The end of a call, and the evidence about the channel. */
export interface PassedOn extends PassthroughResult {
  readonly evidence: AttemptEnd
}

/** Makes the call, passes its answer on, settles its cost and records it in the request's row. */
export async function passOn(
  call: AllowedCall,
  candidate: Candidate,
  charge: AttemptCharge,
): Promise<PassedOn> {
  const { input, price } = call
  const { request, writer, attempts, upstream, clock, watch, redactor, callerConnection } = input
  const ours = writeAnswerHeaders({ candidate, losses: [], attempts: attempts.nextNumber })
  let sniffer: UsageSniffer | undefined
  const end = await callPassthrough({
    request: writeUpstreamRequest(call, candidate),
    unread: request.unread,
    timeouts: candidate.target.channel.timeouts,
    callerConnection,
    upstream,
    clock,
    watch,
    redactor,
    answer: {
      begin(status, headers) {
        if (price.type === 'usage') sniffer = createUsageSniffer(String(headers['content-type'] ?? ''))
        const cost = writeCostHeader(flatCostOf(charge, price))
        writer.begin(status, { ...passHeaders(call, headers), ...ours, ...cost })
      },
      write(chunk) {
        sniffer?.push(chunk)
        return writer.writeStream(chunk, {})
      },
    },
  })
  const stated = sniffer?.end()
  const { amount, durable } = settlePassthrough(charge, price, { ...end, stated })
  if (input.spending.isStrict) await durable
  const judged = judge(call, end)
  const ended = {
    candidate,
    lane: 'verbatim',
    outcome: describe(end, judged.failure),
    endedAtMs: clock.monotonicMs(),
    usage: stated?.usage,
    spent: amount,
  } as const
  const outcome = attempts.add(ended, redactor)
  if (end.status !== undefined)
    attempts.answeredBy({ type: 'target', target: candidate.target, losses: [], isRecovered: false })
  return { ...send(call, end, judged, ours), evidence: evidenceOf(outcome, judged) }
}

/** An answer that was inflated on its way has neither a length nor an encoding any more. */
function passHeaders({ input, provider }: AllowedCall, headers: UpstreamHeaders) {
  return passAnswerHeaders(
    headers,
    [...passedAnswerHeaders, 'content-length', 'content-encoding', ...(provider.answerHeaders ?? [])],
    input.redactor,
  )
}

function writeUpstreamRequest(
  { input, segments, provider, body }: AllowedCall,
  candidate: Candidate,
): UpstreamRequest {
  const { request, userAgent } = input
  const { method, unread } = request
  const isStreamed = unread !== undefined && body === undefined
  const built = buildUpstreamRequest({
    lane: {
      path: `${writeSegments(segments)}${readQuery(request.query)}`,
      headers: { accept: '*/*', ...passRequestHeaders(request.headers) },
      body:
        body === undefined ? emptyBody : { type: 'bytes', parts: body.lend([...body.slice(0, body.length)]) },
    },
    candidate,
    provider,
    isStream: false,
    userAgent,
    onNewConnection: isStreamed,
  })
  const { onRefused: _refused, ...once } = built
  // A streamed body cannot be sent a second time with another token.
  const call = isStreamed ? { ...once, body: openedBody(unread) } : built
  if (request.headers['content-type'] !== undefined) return { ...call, method }
  const { 'content-type': _type, ...headers } = call.headers
  return { ...call, method, headers }
}

/** The caller's body as it arrives. */
function openedBody(unread: NonNullable<AllowedCall['input']['request']['unread']>): UpstreamBody {
  const { length } = unread
  const upload = { ...(length !== undefined && { length }), open: () => unread.openStream() }
  return { type: 'upload', upload }
}

interface Judged {
  /**
   * The failure of the call; undefined where the provider did what was asked, or where only the request was at fault.
   */
  readonly failure: Failure | undefined
  /** Whether the caller gets the gateway's error text and not the provider's. */
  readonly isOurs: boolean
}

const UNAUTHORIZED = 401
const RATE_LIMITED = 429

function judge({ input, provider }: AllowedCall, { outcome, status }: PassthroughEnd): Judged {
  if (outcome.type === 'failed') return { failure: outcome.failure, isOurs: true }
  if (outcome.type !== 'refused' || status === undefined) return { failure: undefined, isOurs: false }
  if (status < 400) return { failure: redirected(), isOurs: true }
  const isOfChannel = status === UNAUTHORIZED || status === RATE_LIMITED || status >= 500
  if (!isOfChannel) return { failure: undefined, isOurs: false }
  const headers = Object.fromEntries(
    Object.entries(outcome.headers).map(([name, value]) => [name, [value].flat()[0]]),
  )
  const body = isCompressed(outcome) ? Buffer.alloc(0) : outcome.body
  const answer = { status, headers, body, namesStoredObjects: true }
  const failure = provider.readError?.(answer) ?? chatFormat.readError(answer)
  const { upstream: _words, ...known } = failure
  // The provider's 401 is about the gateway's credential, not about the caller's key.
  if (status === UNAUTHORIZED) return { failure: createFailure('upstream_credential'), isOurs: true }
  return { failure: { ...known, message: input.redactor.redact(failure.message) }, isOurs: false }
}

function redirected(): Failure {
  return createFailure('upstream_bad_response', {
    message: 'The model provider answered with a redirect, which is not followed.',
  })
}

function describe(end: PassthroughEnd, failure: Failure | undefined): AttemptOutcome {
  const { outcome, totalMs } = end
  const facts = { reached: reachedBy(end), usage: undefined, servedTier: undefined, losses: [], totalMs }
  if (failure !== undefined)
    return { ...failedEnding(failure, outcome.type === 'failed' ? outcome.cause : undefined), ...facts }
  if (outcome.type === 'caller-gone') return { type: 'caller-gone', ...facts }
  return { type: 'answered', ...facts }
}

function reachedBy({ outcome, status, isSent, headMs = 0 }: PassthroughEnd): Reached {
  if (status === undefined) return { at: 'nothing', isSent }
  if (outcome.type === 'passed') return { at: 'whole', status, headMs, firstContentMs: headMs }
  return { at: 'head', status, headMs }
}

function evidenceOf({ type }: AttemptOutcome, { failure }: Judged): AttemptEnd {
  if (failure?.code === 'shutting_down' || type === 'caller-gone') return { type: 'left' }
  if (failure?.code === 'request_too_large' || failure?.code === 'request_timeout') return { type: 'left' }
  return failure === undefined ? { type: 'answered' } : { type: 'failed', failure }
}

/** The text for an error in an encoding that is not decoded, since secrets of the channel cannot be found in it. */
const unreadError = JSON.stringify({
  error: {
    message:
      'The model provider answered with this status, and with a text in an encoding that this gateway does not read, although it asked for none.',
    code: 'upstream_error',
  },
})

/** Ends the answer, or sends the provider's own error. */
function send(
  call: AllowedCall,
  { outcome, status }: PassthroughEnd,
  { failure, isOurs }: Judged,
  ours: Readonly<Record<string, string>>,
): PassthroughResult {
  const { writer, redactor } = call.input
  const ended: ExchangeOutcome = failure === undefined ? { type: 'answered' } : { type: 'failed', failure }
  switch (outcome.type) {
    case 'passed':
      writer.endStream()
      return { outcome: ended, isSent: true }
    case 'caller-gone':
      return { outcome, isSent: true }
    case 'failed':
      return { outcome: ended, isSent: false }
    case 'refused': {
      if (isOurs || status === undefined) return { outcome: ended, isSent: false }
      const headers = { ...passAnswerHeaders(outcome.headers, passedAnswerHeaders, redactor), ...ours }
      const answer = isCompressed(outcome)
        ? { headers: { ...headers, 'content-type': 'application/json' }, body: unreadError }
        : { headers, body: redactor.redact(outcome.body.toString('utf8')) }
      writer.sendWhole({ status, ...answer })
      return { outcome: ended, isSent: true }
    }
  }
}
