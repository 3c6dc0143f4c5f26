import { createFailure, type Failure, failureOf } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import type { Timer } from '../../kit/time/clock.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { type RealtimeEvent, readRealtimeEvent } from '../../wire/realtime/read-event.ts'
import {
  type SessionWishes,
  showSession,
  usualWishes,
  writeManualSession,
} from '../../wire/realtime/session-fields.ts'
import { CallerEvents } from './caller-events.ts'
import { ProviderEvents } from './provider-events.ts'
import { closeCodes, type RealtimeCaller, type RealtimeSession } from './realtime-port.ts'
import { ResponseTurns } from './response-turns.ts'
import type { RelayOptions, SessionContext } from './session-context.ts'
import { SessionNames } from './session-names.ts'

const MAX_BUFFERED_BYTES = 1024 * 1024
/** The time in which a provider must open its session. */
const START_MS = 10_000
/** The time to wait for the usage of a response whose caller has disconnected. */
const LEAVING_MS = 3_000

interface EndCause {
  readonly failure: Failure | undefined
  readonly callerLeft: boolean
}

const callerLeft: EndCause = { failure: undefined, callerLeft: true }

type State = 'starting' | 'open' | 'leaving' | 'over'

/**
 * Relays a realtime session. The provider never starts a response by itself. Each response is first held in the budgets
 * and taken from the rate limits, including responses to a turn that the provider detects.
 */
export class RealtimeRelay implements RealtimeSession, SessionContext {
  readonly options: RelayOptions
  readonly turns: ResponseTurns
  readonly names: SessionNames
  wishes: SessionWishes = usualWishes
  readonly #caller: RealtimeCaller
  readonly #events: CallerEvents
  readonly #provider: ProviderEvents
  #state: State = 'starting'
  #created: JsonObject | undefined
  #timer: Timer | undefined

  constructor(options: RelayOptions, caller: RealtimeCaller) {
    this.options = options
    this.#caller = caller
    this.names = new SessionNames(options.request.requestId)
    this.turns = new ResponseTurns(options)
    this.#events = new CallerEvents(this)
    this.#provider = new ProviderEvents(this)
    this.#timer = this.#clock.startTimer(START_MS, () =>
      this.end(createFailure('upstream_timeout'), closeCodes.fault),
    )
    options.upstream.listen({
      onText: (text) => this.#guard(() => this.#receiveUpstream(text)),
      onSent: () => caller.readOn(),
      onClose: (code, reason) => this.#guard(() => this.#upstreamClosed(code, reason)),
    })
  }

  get isIdle(): boolean {
    return this.#state !== 'starting' && this.turns.size === 0 && !this.#events.isWorking
  }

  get isFull(): boolean {
    return this.#events.isFull || this.options.upstream.bufferedBytes > MAX_BUFFERED_BYTES
  }

  receive(text: string): void {
    if (this.#state === 'over' || this.#state === 'leaving') return
    this.#events.push(text)
  }

  drained(): void {
    this.options.upstream.resume()
  }

  leave(): void {
    if (this.#state === 'over') return
    if (this.turns.size === 0) {
      this.#finish(callerLeft)
      return
    }
    // The end of the response says what the provider bills.
    this.#state = 'leaving'
    this.#events.clear()
    this.options.upstream.resume()
    this.options.upstream.send(JSON.stringify({ type: 'response.cancel' }))
    this.#timer?.cancel()
    this.#timer = this.#clock.startTimer(LEAVING_MS, () => this.#finish(callerLeft))
  }

  expire(): void {
    this.end(createFailure('websocket_connection_limit_reached'), closeCodes.goingAway)
  }

  stop(): void {
    this.end(createFailure('shutting_down'), closeCodes.goingAway)
  }

  refuse(failure: Failure): void {
    this.end(failure, closeCodes.tryLater)
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  pushFirst(text: string): void {
    this.#events.pushFirst(text)
  }

  rested(): void {
    this.#caller.readOn()
  }

  get #clock() {
    return this.options.live.gateway.clock
  }

  #receiveUpstream(text: string): void {
    if (this.#state === 'over') return
    const event = readRealtimeEvent(text)
    if (event === undefined) this.end(createFailure('upstream_bad_response'), closeCodes.fault)
    else if (this.#state === 'starting') this.#start(event)
    else this.#provider.relay(event, text)
  }

  /** Turns automatic responses off before the caller sees the session. */
  #start({ type, fields }: RealtimeEvent): void {
    if (type === 'session.created' && this.#created === undefined) {
      this.#created = fields
      this.names.learn(fields)
      const session = writeManualSession(fields)
      if (session === undefined) this.#open()
      else this.options.upstream.send(JSON.stringify({ type: 'session.update', event_id: 'hg_0', session }))
    } else if (type === 'session.updated') {
      this.#open()
    } else if (type === 'error') {
      const logCause = this.#redact(JSON.stringify(fields))
      this.end(createFailure('upstream_error', { logCause }), closeCodes.fault)
    }
  }

  #open(): void {
    this.#timer?.cancel()
    this.#state = 'open'
    if (this.#created !== undefined) this.sendSession(this.#created)
    const { opening } = this.options.request
    const preset = opening.type === 'realtime' ? opening.preset : undefined
    if (preset !== undefined) this.pushFirst(JSON.stringify({ type: 'session.update', session: preset }))
    void this.#events.work()
  }

  #upstreamClosed(code: number, reason: string): void {
    if (this.#state === 'over') return
    const isGood = code === closeCodes.normal || code === closeCodes.goingAway
    const logCause = this.#redact(`the provider closed the connection with ${code} ${reason}`)
    if (isGood && this.turns.size === 0) {
      this.#finish({ failure: undefined, callerLeft: this.#state === 'leaving' })
      this.#caller.close(code, 'the provider has ended the session')
      return
    }
    const failure = createFailure('upstream_disconnected', { logCause })
    if (this.#state === 'leaving') this.#finish(callerLeft)
    else this.end(failure, closeCodes.fault)
  }

  responseEnded(): void {
    if (this.#state === 'leaving' && this.turns.size === 0) this.#finish(callerLeft)
  }

  /** Ends the session in the way of its protocol: with an error, then the close. */
  end(failure: Failure, code: number): void {
    if (this.#state === 'over') return
    this.sendError(failure, undefined)
    if (code === closeCodes.policy) this.turns.recordRefusal(failure)
    this.#finish({ failure, callerLeft: false })
    this.#caller.close(code, failure.code)
  }

  #finish(cause: EndCause): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#timer?.cancel()
    this.#events.clear()
    this.turns.endAll(cause)
    this.options.charges.close()
    this.options.upstream.close(closeCodes.normal)
    this.options.onEnd(cause.failure)
  }

  sendError(failure: Failure, callersId: string | undefined): void {
    const eventId = `event_${createRequestId(this.#clock.nowMs())}`
    this.sendText(JSON.stringify(writeSessionError(failure, eventId, callersId)))
  }

  sendSession(event: JsonObject): void {
    const { publicName } = this.options.candidate
    this.sendText(
      JSON.stringify(
        showSession(event, { publicName, sessionId: this.names.sessionId, wishes: this.wishes }),
      ),
    )
  }

  sendText(text: string): void {
    if (this.#state === 'leaving' || this.#state === 'over') return
    if (!this.#caller.send(text)) this.options.upstream.pause()
  }

  #redact(text: string): string {
    return this.names.hide(this.options.live.gateway.redactor.redact(text))
  }

  /** Catches errors of a listener, since the library would end the process. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    this.options.live.gateway.reportFault('a realtime session', error)
    this.end(failureOf(error), closeCodes.fault)
  }
}

/** The event for an error of the gateway, in OpenAI's form. `callersId` is the ID of the event at fault. */
function writeSessionError(failure: Failure, eventId: string, callersId: string | undefined): JsonObject {
  const { error } = chatFormat.writeError(failure, eventId).body
  const shown = isJsonObject(error) ? error : {}
  return { type: 'error', event_id: eventId, error: { ...shown, event_id: callersId ?? null } }
}
