import type { Caller } from '../../access/key.ts'
import { type Failure, isFailure } from '../../canonical/failure.ts'
import { countsSomething, type Usage } from '../../canonical/usage.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { RateLease } from '../../metering/rates/rate-limiter.ts'
import { SearchCounter } from '../../wire/gemini/values/search-counter.ts'
import type { ResponseTurns } from './response-turns.ts'
import type { RelayOptions } from './session-context.ts'

/** The key of the only response. A provider of Live sessions gives no IDs to responses, and sends one at a time. */
const RESPONSE = ''

export interface LiveTurnsOptions extends Pick<RelayOptions, 'charges' | 'live'> {
  readonly turns: ResponseTurns
}

/** A response that the rate limits have let through. */
interface AdmittedResponse {
  readonly caller: Caller
  readonly lease: RateLease | undefined
}

/** The current response of a Live session, from its first content until its usage is known. */
export class LiveTurns {
  readonly #options: LiveTurnsOptions
  /** The maximum output that the provider was asked for. */
  maxOutputTokens = 0
  /** Whether more of the response may arrive. */
  isTalking = false
  #isActive = false
  #usage: Usage | undefined
  /** Undefined where the response has not searched. */
  #searches: SearchCounter | undefined

  constructor(options: LiveTurnsOptions) {
    this.#options = options
  }

  get isActive(): boolean {
    return this.#isActive
  }

  get hasUsage(): boolean {
    return this.#usage !== undefined
  }

  /**
   * Takes over the hold of a response that the provider has begun. Returns the failure if the response cannot be held.
   */
  async begin({ caller, lease }: AdmittedResponse): Promise<Failure | undefined> {
    const { charges, live, turns } = this.#options
    const startedAtMs = live.gateway.clock.monotonicMs()
    this.isTalking = true
    const held = await charges.claimBegun(caller, this.maxOutputTokens)
    if (isFailure(held)) return held
    this.#isActive = true
    this.#usage = undefined
    this.#searches = undefined
    turns.ask({ eventId: RESPONSE, held, lease, startedAtMs })
    turns.begin(RESPONSE)
    return undefined
  }

  /** Records usage, if it is not zeros. The last usage of a response covers the whole response. */
  sawUsage(usage: Usage | undefined): void {
    if (this.#isActive && countsSomething(usage)) this.#usage = usage
  }

  /** Counts the searches that the provider made for the response. */
  sawSearches(searched: JsonObject | undefined): void {
    if (!this.#isActive || searched === undefined) return
    this.#searches ??= new SearchCounter()
    this.#searches.add(searched)
  }

  finish(): void {
    if (!this.#isActive) return
    this.#isActive = false
    this.isTalking = false
    const toolCalls = this.#searches?.toolCalls
    const usage =
      this.#usage === undefined || toolCalls === undefined ? this.#usage : { ...this.#usage, toolCalls }
    this.#options.turns.finish(RESPONSE, { usage, hasOutput: true, hasFailed: false })
    this.#usage = undefined
  }
}
