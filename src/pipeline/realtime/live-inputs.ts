import type { Caller } from '../../access/key.ts'
import { createFailure, type Failure, GatewayError, isFailure } from '../../canonical/failure.ts'
import type { Timer } from '../../kit/time/clock.ts'
import type { RateLease } from '../../metering/rates/rate-limiter.ts'
import { readLiveMessage } from '../../wire/gemini/live/live-fields.ts'
import { type LiveCallerMessage, readCallerMessage } from '../../wire/gemini/live/live-messages.ts'
import type { LiveOptions } from './session-context.ts'

/** The maximum number of messages that wait in memory while a response is admitted. */
const MAX_WAITING = 64
const MAX_WAITING_CHARACTERS = 1024 * 1024
const MIN_RETRY_MS = 250
const SECOND_MS = 1_000

export interface LiveInputsListener {
  /** Whether the caller's messages may be passed on. */
  canGoOn(): boolean
  /** Called before the results of function calls start another response. */
  beforeToolResponse(): void
  /** Called when the next response may not begin. */
  refused(failure: Failure): void
  /** Called when no message waits any longer. */
  rested(): void
  failed(error: unknown): void
}

interface WaitingMessage extends LiveCallerMessage {
  readonly text: string
}

/** The failure of a session whose tools are billed by the call while a limit in money applies. */
export function billedToolsNotAllowed(): Failure {
  return createFailure('field_not_allowed', {
    param: 'setup.tools',
    message:
      'Tools that the provider runs are billed by the call. This session cannot hold their cost in a budget, and a money limit applies to this API key. Use only functions in "setup.tools".',
  })
}

/** Passes a caller's messages on while the response that they may start is held and within the rate limits. */
export class LiveInputs {
  readonly #options: LiveOptions
  readonly #listener: LiveInputsListener
  readonly #waiting: WaitingMessage[] = []
  #characters = 0
  #isHeld = true
  #isClosed = false
  #retry: Timer | undefined
  /** The lease of the response that the rate limits have let through last. The session's own is the first. */
  lease: RateLease | undefined
  /** The caller in the state in which the next response was admitted. */
  caller: Caller
  isWorking = false

  constructor(options: LiveOptions, listener: LiveInputsListener) {
    this.#options = options
    this.lease = options.lease
    this.caller = options.request.caller
    this.#listener = listener
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS
  }

  /** Adds a message. Throws `GatewayError` for a message that is not supported. */
  push(text: string): void {
    const message = readCallerMessage(readLiveMessage(text), text.length)
    this.#characters += text.length
    this.#waiting.push({ ...message, text })
    void this.work()
  }

  clear(): void {
    this.#waiting.length = 0
    this.#characters = 0
  }

  close(): void {
    this.#isClosed = true
    this.#retry?.cancel()
    this.clear()
  }

  /** Called when a response has begun. Later messages wait until the next response is held. */
  hold(): void {
    this.#isHeld = false
    void this.work()
  }

  /** Passes waiting messages on. Never rejects. */
  async work(): Promise<void> {
    if (this.isWorking || this.#isClosed || !this.#listener.canGoOn()) return
    this.isWorking = true
    try {
      if (!this.#isHeld && !(await this.#enter())) return
      await this.#sendAll()
    } catch (error) {
      this.#listener.failed(error)
    } finally {
      this.isWorking = false
      this.#listener.rested()
    }
  }

  async #sendAll(): Promise<void> {
    const { bound, upstream } = this.#options
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#characters -= next.text.length
      if (next.isToolResponse) this.#listener.beforeToolResponse()
      bound.add(next.input)
      if (!(await this.#renewGrown()) || this.#isClosed || !this.#listener.canGoOn()) return
      upstream.send(next.text)
    }
  }

  /** Takes the next response from the rate limits and holds its cost in the budgets. */
  async #enter(): Promise<boolean> {
    const { charges, setup } = this.#options
    const caller = this.#recheck()
    if (caller === undefined) return false
    // The setup cannot be changed, so a session with such tools ends once a limit in money applies.
    if (setup.hasBilledTools && charges.isLimited(caller)) {
      this.#listener.refused(billedToolsNotAllowed())
      return false
    }
    const lease = await charges.acquireRate(caller)
    if (lease !== undefined && isFailure(lease)) {
      this.#wait(lease)
      return false
    }
    this.lease = lease
    this.caller = caller
    return this.#renew()
  }

  async #renew(): Promise<boolean> {
    const { charges } = this.#options
    const refused = await charges.renew(this.caller)
    this.#isHeld = refused === undefined
    if (refused !== undefined) this.#listener.refused(refused)
    return this.#isHeld
  }

  /** Holds more if the input has become larger than the held input. */
  async #renewGrown(): Promise<boolean> {
    const { charges, bound } = this.#options
    const { ahead } = charges
    if (ahead === undefined) return true
    if (bound.tokens({ mustBound: false, isAhead: false }) <= ahead.inputTokens) return true
    return this.#renew()
  }

  /** Makes messages wait for a rate limit. The session continues. */
  #wait({ retryAfterSeconds }: Failure): void {
    const { clock } = this.#options.live.gateway
    const delayMs = Math.max(MIN_RETRY_MS, (retryAfterSeconds ?? 1) * SECOND_MS)
    this.#retry = clock.startTimer(delayMs, () => void this.work())
  }

  #recheck() {
    try {
      return this.#options.request.recheck()
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.#listener.refused(error.failure)
      return undefined
    }
  }
}
