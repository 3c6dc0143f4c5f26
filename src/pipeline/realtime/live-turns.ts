import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { ResponseTurns } from './response-turns.ts'
import type { RelayOptions } from './session-context.ts'

/** A provider of Live sessions names no responses, and gives one at a time. */
const RESPONSE = ''

export interface LiveTurnsOptions extends Pick<RelayOptions, 'request' | 'money' | 'live'> {
  readonly turns: ResponseTurns
}

/** The response of a Live session that is under way, from its first content until its usage is known. */
export class LiveTurns {
  readonly #options: LiveTurnsOptions
  /** The most output that the provider was asked for. */
  maxOutputTokens = 0
  /** Whether more of the response may come. */
  isTalking = false
  #isActive = false
  #usage: Usage | undefined

  constructor(options: LiveTurnsOptions) {
    this.#options = options
  }

  get isActive(): boolean {
    return this.#isActive
  }

  get hasUsage(): boolean {
    return this.#usage !== undefined
  }

  /** Takes the hold of a response that the provider has begun. Gives the failure where there is none. */
  async begin(): Promise<Failure | undefined> {
    const { money, request, live, turns } = this.#options
    const startedAtMs = live.gateway.clock.monotonicMs()
    this.isTalking = true
    const held = await money.claim(request.caller, this.maxOutputTokens)
    if (isFailure(held)) return held
    this.#isActive = true
    this.#usage = undefined
    turns.ask({
      eventId: RESPONSE,
      held,
      lease: undefined,
      startedAtMs,
      firstContentMs: undefined,
      bytesOut: 0,
    })
    turns.begin(RESPONSE)
    return undefined
  }

  /** The last usage of a response is that of all of it. */
  sawUsage(usage: Usage | undefined): void {
    if (this.#isActive && usage !== undefined) this.#usage = usage
  }

  finish(): void {
    if (!this.#isActive) return
    this.#isActive = false
    this.isTalking = false
    this.#options.turns.finish(RESPONSE, { usage: this.#usage, hasFailed: false })
    this.#usage = undefined
  }
}
