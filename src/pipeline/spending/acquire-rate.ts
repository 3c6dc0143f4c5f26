import { createFailure, type Failure } from '../../canonical/failure.ts'
import { inputTokensOf, type Usage } from '../../canonical/usage.ts'
import type { RateLimit } from '../../metering/rate-limit.ts'
import type { RateLease, RateOutcome, RateRefusal, RateRequest } from '../../metering/rates/rate-limiter.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { estimateRequestTokens } from './estimate-tokens.ts'
import type { Spending } from './spending.ts'

export interface RateInput {
  readonly exchange: Exchange
  /** The rate limits that apply, at least one. They belong to the key, user, group, model or installation. */
  readonly rates: readonly RateLimit[]
  /** The deadline of the request, by `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

/** The wait for a rate limit, until the request is let through or refused, or its caller disconnects. */
export interface RateWait {
  readonly type: 'waits'
  readonly outcome: Promise<AcquiredRate>
  leave(): void
}

export type AcquiredRate =
  | { readonly type: 'acquired'; readonly lease: RateLease }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'left' }

/** Takes a request from all its rate limits or from none of them. */
export function acquireRate(
  { exchange, rates: limits, deadlineAtMs }: RateInput,
  spending: Pick<Spending, 'rates'>,
): AcquiredRate | RateWait {
  const { keyId } = exchange.callerRequest.caller
  const inputTokens = estimateRequestTokens(exchange)
  return acquireTurn({ limits, keyId, inputTokens, deadlineAtMs }, spending)
}

/** Takes a request with a measured length from all its rate limits or from none of them. */
export function acquireTurn(
  request: RateRequest,
  spending: Pick<Spending, 'rates'>,
): AcquiredRate | RateWait {
  const turn = spending.rates.acquire(request)
  if (turn.type !== 'waits') return readOutcome(turn)
  return { type: 'waits', outcome: turn.outcome.then(readOutcome), leave: turn.leave }
}

/** The caller of a request that may wait. */
export interface RateCaller {
  listen(listeners: { onDrain(): void; onGone(): void; onStop(): void }): void
  readonly isGone: boolean
}

/**
 * The result of entering the rate limits. In `entered`, `lease` is undefined where no limit applies. The other results
 * end the request.
 */
export type EnteredRates =
  | { readonly type: 'entered'; readonly lease: RateLease | undefined }
  | Exclude<ExchangeOutcome, { readonly type: 'answered' }>

/** Takes a request from its limits. The wait ends when the caller disconnects. */
export async function enterRates(
  request: RateRequest,
  spending: Pick<Spending, 'rates'>,
  callerConnection: RateCaller,
): Promise<EnteredRates> {
  if (callerConnection.isGone) return { type: 'caller-gone' }
  if (request.limits.length === 0) return { type: 'entered', lease: undefined }
  const turn = acquireTurn(request, spending)
  if (turn.type === 'waits') {
    const { leave } = turn
    callerConnection.listen({ onDrain: () => undefined, onGone: leave, onStop: leave })
  }
  const acquired = turn.type === 'waits' ? await turn.outcome : turn
  switch (acquired.type) {
    case 'acquired':
      return { type: 'entered', lease: acquired.lease }
    case 'failed':
      return acquired
    case 'left':
      return callerConnection.isGone
        ? { type: 'caller-gone' }
        : { type: 'failed', failure: createFailure('shutting_down') }
  }
}

/** Counts the usage of a request in its rate limits. The input may be more than the body, such as a stored response. */
export function countUsage(lease: RateLease | undefined, usage: Usage | undefined): void {
  lease?.addOutput(usage?.outputTokens ?? 0)
  if (usage !== undefined) lease?.raiseInput(inputTokensOf(usage))
}

function readOutcome(outcome: RateOutcome): AcquiredRate {
  switch (outcome.type) {
    case 'admitted':
      return { type: 'acquired', lease: outcome.lease }
    case 'refused':
      return { type: 'failed', failure: describeRateRefusal(outcome) }
    case 'left':
      return outcome
  }
}

const kindWords = {
  requests: 'requests a minute',
  tokens: 'tokens a minute',
  'input-tokens': 'input tokens a minute',
  'output-tokens': 'output tokens a minute',
  concurrency: 'requests at one time',
} as const

/** The failure of a refused request. It names the limit, and the whole seconds after which there is room. */
export function describeRateRefusal({ limit, kind, retryAfterMs }: RateRefusal): Failure {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  const code = kind === 'concurrency' ? 'concurrency_limit_exceeded' : 'rate_limit_exceeded'
  const owner = limit.name === 'installation' ? 'this gateway' : limit.name
  const name = `limit of ${kindWords[kind]} of ${owner}`
  const message = `The ${name} is reached. Try again in ${retryAfterSeconds} s.`
  return createFailure(code, { message, retryAfterSeconds, logCause: `the ${name} is reached` })
}
