import type { Caller } from '../../access/key.ts'
import { type Failure, isFailure } from '../../canonical/failure.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import { countedAmount, isLimiting } from '../../metering/budget.ts'
import type { RateLimit } from '../../metering/rate-limit.ts'
import type { RateLease } from '../../metering/rates/rate-limiter.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { Gateway } from '../gateway.ts'
import { acquireTurn } from '../spending/acquire-rate.ts'
import type { AttemptCharge } from '../spending/attempt-charge.ts'
import { openDurableCharge } from '../spending/open-durable-charge.ts'
import { type InputBound, maxOutputOf, worstOfResponse } from './response-cost.ts'

/** The hold of one response, before its actual cost is known. */
export interface HeldResponse {
  readonly requestId: string
  readonly charge: AttemptCharge
  /** The maximum input for which it was held. */
  readonly inputTokens: number
  /** The maximum output for which it was held. */
  readonly maxOutputTokens: number
}

export interface SessionChargesOptions {
  readonly live: { readonly gateway: Gateway }
  readonly candidate: Candidate
  readonly bound: InputBound
  /**
   * The maximum output of a response that the session asks for; undefined where only the model's own maximum applies.
   */
  readonly maxOutputTokens: number | undefined
}

/** The holds of a session in budgets and rate limits, response by response. */
export class SessionCharges {
  readonly #options: SessionChargesOptions
  /** The response that is held before it is requested. */
  #ahead: HeldResponse | undefined
  #isClosed = false

  constructor(options: SessionChargesOptions) {
    this.#options = options
  }

  /**
   * Holds the possible cost of the next response if a limit in money applies, so that the session never continues
   * without a hold. Returns the failure if the cost does not fit.
   */
  async renew(caller: Caller): Promise<Failure | undefined> {
    this.#release()
    if (!this.isLimited(caller)) return undefined
    const held = await this.#hold(caller, this.maxOutputTokens, true)
    if (isFailure(held)) return held
    // In the meantime, there may be another hold, or the session may have ended.
    if (this.#isClosed || this.#ahead !== undefined) held.charge[Symbol.dispose]()
    else this.#ahead = held
    return undefined
  }

  /** The maximum output of a response in this session. */
  get maxOutputTokens(): number {
    const { candidate, maxOutputTokens } = this.#options
    return Math.min(maxOutputTokens ?? Infinity, maxOutputOf(candidate.target))
  }

  /** The response that is held ahead; undefined where no response is. */
  get ahead(): Pick<HeldResponse, 'inputTokens' | 'maxOutputTokens'> | undefined {
    return this.#ahead
  }

  /** Holds the possible cost of a response that is about to start. */
  async claim(caller: Caller, maxOutputTokens: number): Promise<HeldResponse | Failure> {
    const ahead = this.#ahead
    const inputTokens = this.#inputTokens(caller, false)
    if (ahead !== undefined && ahead.inputTokens >= inputTokens) {
      this.#ahead = undefined
      // A checkpoint says that the response was requested.
      ahead.charge.follow(() => 1)
      return { ...ahead, maxOutputTokens: Math.min(ahead.maxOutputTokens, maxOutputTokens) }
    }
    this.#release()
    return this.#hold(caller, maxOutputTokens, false)
  }

  /** Takes a response from its rate limits. The concurrency limit applies only to the session itself. */
  async acquireRate(caller: Caller): Promise<RateLease | Failure | undefined> {
    const { live, candidate } = this.#options
    const { spending, clock, retry } = live.gateway
    const limits = spending.limits.rateLimits(caller, candidate.publicName).map(withoutConcurrency)
    if (limits.length === 0) return undefined
    const inputTokens = this.#options.bound.tokens({ mustBound: false, isAhead: false })
    const deadlineAtMs = clock.monotonicMs() + retry.deadlineMs
    const turn = acquireTurn({ limits, keyId: caller.keyId, inputTokens, deadlineAtMs }, spending)
    const acquired = turn.type === 'waits' ? await turn.outcome : turn
    if (acquired.type === 'failed') return acquired.failure
    if (acquired.type === 'left') return undefined
    // Only the session itself counts as running, so the slot of a response is released at once.
    acquired.lease.release()
    return acquired.lease
  }

  /** Whether a limit in money applies. */
  isLimited(caller: Caller): boolean {
    return this.#budgetsOf(caller).some(({ budget }) => isLimiting(budget))
  }

  close(): void {
    this.#isClosed = true
    this.#release()
  }

  #release(): void {
    this.#ahead?.charge[Symbol.dispose]()
    this.#ahead = undefined
  }

  #budgetsOf(caller: Caller) {
    const { live, candidate } = this.#options
    const { publicName, target } = candidate
    return live.gateway.spending.findBudgets({
      caller,
      tags: caller.tags,
      model: publicName,
      channel: target.channel.name,
    })
  }

  #inputTokens(caller: Caller, isAhead: boolean): number {
    const mustBound = this.#budgetsOf(caller).some(
      ({ budget: { mode, scope } }) => mode === 'exact' && countedAmount(scope) === 'cost',
    )
    return this.#options.bound.tokens({ mustBound, isAhead })
  }

  async #hold(caller: Caller, wanted: number, isAhead: boolean): Promise<HeldResponse | Failure> {
    const { live, candidate } = this.#options
    const { gateway } = live
    const { target, publicName } = candidate
    const inputTokens = this.#inputTokens(caller, isAhead)
    const maxOutputTokens = Math.min(wanted, maxOutputOf(target))
    const nowMs = gateway.clock.nowMs()
    const requestId = createRequestId(nowMs)
    const { multiplierPpm } = caller
    const charge = await openDurableCharge(
      {
        caller,
        requestId,
        tags: caller.tags,
        model: publicName,
        channel: target.channel.name,
        upstreamModel: target.upstreamModel,
        price: target.prices && priceAt(target.prices, nowMs),
        unpriced: 'model_unpriced',
        worst: (price) => worstOfResponse({ inputTokens, maxOutputTokens, multiplierPpm }, price),
        chargesUnseen: true,
        chargesUnheld: true,
        isAhead,
      },
      gateway,
    )
    if (isFailure(charge)) return charge
    return { requestId, charge, inputTokens, maxOutputTokens: charge.maxOutputTokens ?? maxOutputTokens }
  }
}

function withoutConcurrency({ terms, ...limit }: RateLimit): RateLimit {
  const { concurrency: _concurrency, ...others } = terms
  return { ...limit, terms: { ...others, concurrency: undefined } }
}
