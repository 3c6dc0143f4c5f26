import type { JsonObject } from '../kit/json/json.ts'
import type { RateLimit } from '../metering/rate-limit.ts'
import type { RateLease } from '../metering/rates/rate-limiter.ts'
import { type ObjectCall, sendObject } from './batches/object-input.ts'
import type { OpenLine } from './batches/read-batch-input.ts'
import { serveOpenaiObject } from './batches/serve-openai-object.ts'
import type { RequestedCachedContent, RequestedGeminiFile } from './exchange/caller-request.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import { serveCachedContent } from './gemini-objects/serve-cached-contents.ts'
import { serveGeminiFile } from './gemini-objects/serve-gemini-files.ts'
import { continueUpload, type SessionAnswer, startUpload } from './gemini-objects/upload-session.ts'
import { serveMessageObject } from './message-objects/serve-message-objects.ts'
import { enterRates } from './spending/acquire-rate.ts'

export interface ObjectTerms {
  /** The rate limits that apply. Limits of the models that the object's requests name are not known here. */
  readonly rates: readonly RateLimit[]
  readonly openLine: OpenLine
}

/** A call, and the parts that its rate limits need. */
export interface LimitedObjectCall extends ObjectCall {
  /** Receives the lease, which is released when the request ends. */
  readonly holdLease: (lease: RateLease) => void
  /** The time at which the request's deadline ends, by `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

/**
 * Serves a request for an object that a provider stores, once its rate limits let it through. Rejects with
 * `GatewayError`.
 */
export async function serveObject(call: LimitedObjectCall, terms: ObjectTerms): Promise<ExchangeOutcome> {
  const { request, spending, callerConnection, deadlineAtMs } = call
  const { keyId } = request.caller
  const rateRequest = { limits: terms.rates, keyId, inputTokens: 0, deadlineAtMs }
  const entered = await enterRates(rateRequest, spending, callerConnection)
  if (entered.type !== 'entered') return entered
  if (entered.lease !== undefined) call.holdLease(entered.lease)
  const { requested } = request
  switch (requested.type) {
    case 'message-batch':
    case 'message-file':
      return serveMessageObject(call, requested, terms.openLine)
    case 'gemini-file':
    case 'cached-content':
      return serveGeminiObject(call, requested)
    default:
      return serveOpenaiObject(call, requested, terms.openLine)
  }
}

/** Serves a request for a file or a cached content in Gemini's format. Rejects with `GatewayError`. */
async function serveGeminiObject(
  call: ObjectCall,
  requested: RequestedGeminiFile | RequestedCachedContent,
): Promise<ExchangeOutcome> {
  const { headers, body } = await answer(call, requested)
  return sendObject(call, body, headers)
}

async function answer(
  call: ObjectCall,
  requested: RequestedGeminiFile | RequestedCachedContent,
): Promise<SessionAnswer> {
  if (requested.type === 'cached-content') return withoutHeaders(await serveCachedContent(call, requested))
  const { action, id } = requested
  if (action === 'start') return startUpload(call)
  if (action === 'continue') return continueUpload(call, id)
  return withoutHeaders(await serveGeminiFile(call, { action, id }))
}

function withoutHeaders(body: JsonObject): SessionAnswer {
  return { headers: {}, body: JSON.stringify(body) }
}
