import type { Caller } from '../../access/key.ts'
import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import { countedAmount, isLimiting } from '../../metering/budget.ts'
import type { AppliedBudget } from '../../metering/meter.ts'
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

/** The terms of a response. Operators may change each of them while a session is open. */
interface ResponseTerms {
  readonly caller: Caller
  readonly budgets: readonly AppliedBudget[]
  readonly price: PriceVersion | undefined
}

interface HeldAhead extends HeldResponse {
  readonly terms: ResponseTerms
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
  #ahead: HeldAhead | undefined
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
    const terms = this.#termsOf(caller)
    const held = await this.#hold(terms, this.maxOutputTokens, true)
    if (isFailure(held)) return held
    // In the meantime, there may be another hold, or the session may have ended.
    if (this.#isClosed || this.#ahead !== undefined) held.charge[Symbol.dispose]()
    else this.#ahead = { ...held, terms }
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

  /** Holds the possible cost of a response that is about to start, under the terms of this moment. */
  async claim(caller: Caller, maxOutputTokens: number): Promise<HeldResponse | Failure> {
    const terms = this.#termsOf(caller)
    if (this.#ahead !== undefined && !areSame(this.#ahead.terms, terms)) this.#release()
    return this.#claim(terms, maxOutputTokens)
  }

  /** Holds the possible cost of a response that the provider has begun, under the terms of its hold if there is one. */
  async claimBegun(caller: Caller, maxOutputTokens: number): Promise<HeldResponse | Failure> {
    return this.#claim(this.#termsOf(caller), maxOutputTokens)
  }

  async #claim(terms: ResponseTerms, maxOutputTokens: number): Promise<HeldResponse | Failure> {
    const ahead = this.#ahead
    if (ahead !== undefined && ahead.inputTokens >= this.#inputTokens(terms, false)) {
      this.#ahead = undefined
      // A checkpoint says that the response was requested.
      ahead.charge.follow(() => 1)
      return { ...ahead, maxOutputTokens: Math.min(ahead.maxOutputTokens, maxOutputTokens) }
    }
    this.#release()
    return this.#hold(terms, maxOutputTokens, false)
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

  #budgetsOf(caller: Caller): readonly AppliedBudget[] {
    const { live, candidate } = this.#options
    const { publicName, target } = candidate
    return live.gateway.spending.findBudgets({
      caller,
      tags: caller.tags,
      model: publicName,
      channel: target.channel.name,
    })
  }

  #termsOf(caller: Caller): ResponseTerms {
    return { caller, budgets: this.#budgetsOf(caller), price: this.#findPrice() }
  }

  /** The current price of the model, or the last known one where the channel no longer serves the model. */
  #findPrice(): PriceVersion | undefined {
    const { live, candidate } = this.#options
    const { publicName, target } = candidate
    const { catalog, clock } = live.gateway
    const { prices } =
      catalog
        .current()
        .findRoute(publicName)
        ?.targets.find(
          (one) => one.channel.name === target.channel.name && one.upstreamModel === target.upstreamModel,
        ) ?? target
    return prices && priceAt(prices, clock.nowMs())
  }

  #inputTokens({ budgets }: ResponseTerms, isAhead: boolean): number {
    const mustBound = budgets.some(
      ({ budget: { mode, scope } }) => mode === 'exact' && countedAmount(scope) === 'cost',
    )
    return this.#options.bound.tokens({ mustBound, isAhead })
  }

  async #hold(terms: ResponseTerms, wanted: number, isAhead: boolean): Promise<HeldResponse | Failure> {
    const { live, candidate } = this.#options
    const { gateway } = live
    const { target, publicName } = candidate
    const { caller, price } = terms
    const inputTokens = this.#inputTokens(terms, isAhead)
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
        price,
        unpriced: 'model_unpriced',
        worst: (known) => worstOfResponse({ inputTokens, maxOutputTokens, multiplierPpm }, known),
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

/** Whether terms are the same. A caller and its budgets are the same objects until one of them changes. */
function areSame(one: ResponseTerms, other: ResponseTerms): boolean {
  return (
    one.caller === other.caller &&
    one.price?.id === other.price?.id &&
    one.budgets.length === other.budgets.length &&
    one.budgets.every(({ budget }, index) => budget === other.budgets[index]?.budget)
  )
}

function withoutConcurrency({ terms, ...limit }: RateLimit): RateLimit {
  const { concurrency: _concurrency, ...others } = terms
  return { ...limit, terms: { ...others, concurrency: undefined } }
}
