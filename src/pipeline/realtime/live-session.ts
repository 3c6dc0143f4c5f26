import { createFailure, type Failure, failureOf, GatewayError } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Timer } from '../../kit/time/clock.ts'
import { readLiveMessage } from '../../wire/gemini/live/live-fields.ts'
import { type LiveServerMessage, readServerMessage } from '../../wire/gemini/live/live-messages.ts'
import { readLiveUsage } from '../../wire/gemini/live/read-live-usage.ts'
import { LiveInputs } from './live-inputs.ts'
import { LiveTurns } from './live-turns.ts'
import { closeCodes, type RealtimeCaller, type RealtimeSession } from './realtime-port.ts'
import { ResponseTurns } from './response-turns.ts'
import type { LiveOptions } from './session-context.ts'

const MAX_BUFFERED_BYTES = 1024 * 1024
/** The time to wait for the usage of a response that is over, or whose caller has disconnected. */
const USAGE_MS = 3_000
/** The maximum length of a close reason. A close frame has at most 125 bytes, two of which are its code. */
const MAX_REASON_BYTES = 123

type State = 'open' | 'leaving' | 'over'

/**
 * Relays a Live session of Gemini. The provider starts responses by itself. So the next response is held before the
 * caller's input is passed on. If the next response does not fit into the budgets, the session ends with the current
 * one.
 */
export class LiveRelay implements RealtimeSession {
  readonly #options: LiveOptions
  readonly #caller: RealtimeCaller
  readonly #responses: ResponseTurns
  readonly #turns: LiveTurns
  readonly #inputs: LiveInputs
  #state: State = 'open'
  #timer: Timer | undefined
  /** Messages that wait until the response that they begin is recorded. */
  readonly #waiting: JsonObject[] = []
  #isBeginning = false
  /** The reason why no response may follow the current one. */
  #last: Failure | undefined

  constructor(options: LiveOptions, caller: RealtimeCaller) {
    this.#options = options
    this.#caller = caller
    this.#responses = new ResponseTurns(options)
    this.#turns = new LiveTurns({ ...options, turns: this.#responses })
    this.#inputs = new LiveInputs(options, {
      canGoOn: () => this.#state === 'open' && this.#last === undefined,
      beforeToolResponse: () => this.#finishTurn(),
      refused: (failure) => this.#refuseNext(failure),
      rested: () => caller.readOn(),
      failed: (error) => this.#fail(error),
    })
    const { upstream, early, setup, charges } = options
    upstream.listen({
      onText: (text) => this.#guard(() => this.#receiveUpstream(text)),
      onSent: () => caller.readOn(),
      onClose: (code, reason) => this.#guard(() => this.#upstreamClosed(code, reason)),
    })
    const maxOutputTokens = charges.ahead?.maxOutputTokens ?? setup.maxOutputTokens
    this.#turns.maxOutputTokens = maxOutputTokens ?? charges.maxOutputTokens
    for (const text of early) this.#guard(() => this.#receiveUpstream(text))
    void this.#inputs.work()
  }

  get isIdle(): boolean {
    return !this.#turns.isActive && !this.#inputs.isWorking
  }

  get isFull(): boolean {
    return this.#inputs.isFull || this.#options.upstream.bufferedBytes > MAX_BUFFERED_BYTES
  }

  receive(text: string): void {
    if (this.#state === 'over' || this.#state === 'leaving') return
    try {
      this.#inputs.push(text)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.#end(error.failure, closeCodes.policy)
    }
  }

  drained(): void {
    if (!this.#isBeginning) this.#options.upstream.resume()
  }

  leave(): void {
    if (this.#state === 'over') return
    if (!this.#turns.isActive) {
      this.#finish({ failure: undefined, callerLeft: true })
      return
    }
    this.#state = 'leaving'
    this.#inputs.clear()
    this.#options.upstream.resume()
    this.#startTimer(() => this.#finish({ failure: undefined, callerLeft: true }))
  }

  stop(): void {
    this.#goAway(createFailure('shutting_down'), closeCodes.goingAway)
  }

  expire(): void {
    this.#goAway(createFailure('websocket_connection_limit_reached'), closeCodes.goingAway)
  }

  refuse(failure: Failure): void {
    this.#goAway(failure, closeCodes.tryLater)
  }

  #goAway(failure: Failure, code: number): void {
    this.#sendText('{"goAway":{"timeLeft":"0s"}}')
    this.#end(failure, code)
  }

  get #clock() {
    return this.#options.live.gateway.clock
  }

  #receiveUpstream(text: string): void {
    if (this.#state === 'over') return
    const fields = readLiveMessage(text)
    if (fields === undefined) this.#end(createFailure('upstream_bad_response'), closeCodes.fault)
    else if (this.#isBeginning) this.#waiting.push(fields)
    else this.#relay(fields, text.length)
  }

  #relay(fields: JsonObject, bytes: number): void {
    const message = readServerMessage(fields)
    if (message.hasContent && !this.#turns.isTalking) {
      this.#waiting.unshift(fields)
      void this.#begin()
      return
    }
    if (message.shown !== undefined) this.#sendText(JSON.stringify(message.shown))
    this.#follow(message, bytes)
  }

  /** Tracks the usage and progress of the response to which a message belongs. */
  #follow(message: LiveServerMessage, bytes: number): void {
    const { hasContent, usage, searched, isTurnComplete, isInterrupted } = message
    if (hasContent) this.#responses.sawContent('', bytes, true)
    this.#turns.sawSearches(searched)
    this.#turns.sawUsage(readLiveUsage(usage))
    if (!this.#turns.isActive) return
    if (isInterrupted && this.#last !== undefined) this.#finishTurn()
    else if (isTurnComplete) this.#turns.isTalking = false
    if (this.#turns.isTalking || !this.#turns.isActive) return
    if (this.#turns.hasUsage) this.#finishTurn()
    else this.#startTimer(() => this.#finishTurn())
  }

  /** Admits the response that the provider has begun, and then holds the next one. Never rejects. */
  async #begin(): Promise<void> {
    this.#isBeginning = true
    this.#options.upstream.pause()
    try {
      this.#finishTurn()
      const refused = await this.#turns.begin(this.#inputs)
      if (refused !== undefined) return this.#end(refused, closeCodes.policy)
      if (this.#state === 'over') return this.#responses.endAll({ failure: undefined, callerLeft: true })
      this.#inputs.hold()
      this.#isBeginning = false
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#relay(next, JSON.stringify(next).length)
        if (this.#isBeginning) return
      }
      this.#options.upstream.resume()
    } catch (error) {
      this.#fail(error)
    }
  }

  #finishTurn(): void {
    if (!this.#turns.isActive) return
    if (this.#state === 'open') this.#timer?.cancel()
    this.#turns.finish()
    if (this.#state === 'leaving') this.#finish({ failure: undefined, callerLeft: true })
    else if (this.#last !== undefined) this.#end(this.#last, closeCodes.policy)
    else this.#caller.readOn()
  }

  /** Called when the next response does not fit into the budgets. The session ends with the current response. */
  #refuseNext(failure: Failure): void {
    this.#last ??= failure
    this.#inputs.clear()
    if (!this.#turns.isActive) this.#end(failure, closeCodes.policy)
  }

  #upstreamClosed(code: number, reason: string): void {
    if (this.#state === 'over') return
    const { redactor } = this.#options.live.gateway
    const logCause = redactor.redact(`the provider closed the connection with ${code} ${reason}`)
    const isGood = code === closeCodes.normal || code === closeCodes.goingAway
    if (this.#state === 'leaving') {
      this.#finish({ failure: undefined, callerLeft: true })
    } else if (isGood && this.#state === 'open' && !this.#turns.isTalking) {
      this.#finish({ failure: undefined, callerLeft: false })
      this.#caller.close(code, 'the provider has ended the session')
    } else this.#end(createFailure('upstream_disconnected', { logCause }), closeCodes.fault)
  }

  /** Ends the session in Google's way: with a close code and the reason as text. */
  #end(failure: Failure, code: number): void {
    if (this.#state === 'over') return
    // A response in progress ends with this failure in its own row.
    if (code === closeCodes.policy && !this.#turns.isActive) this.#responses.recordRefusal(failure)
    this.#finish({ failure, callerLeft: false })
    this.#caller.close(code, writeCloseReason(failure))
  }

  #finish(cause: { readonly failure: Failure | undefined; readonly callerLeft: boolean }): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#timer?.cancel()
    this.#inputs.close()
    if (this.#turns.hasUsage) this.#turns.finish()
    this.#responses.endAll(cause)
    this.#options.charges.close()
    this.#options.upstream.close(closeCodes.normal)
    this.#options.onEnd(cause.failure)
  }

  #startTimer(onEnd: () => void): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.startTimer(USAGE_MS, onEnd)
  }

  #sendText(text: string): void {
    if (this.#state === 'leaving' || this.#state === 'over') return
    if (!this.#caller.send(text)) this.#options.upstream.pause()
  }

  /** Catches errors of a listener, since the library would end the process. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#options.live.gateway.reportFault('a Live session', error)
    this.#end(failureOf(error), closeCodes.fault)
  }
}

/** The code of a failure and its message, cut to the length of a close reason. */
export function writeCloseReason({ code, message }: Failure): string {
  const bytes = Buffer.from(`${code}: ${message}`)
  // A character that was cut in half is removed.
  return bytes
    .subarray(0, MAX_REASON_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
}
