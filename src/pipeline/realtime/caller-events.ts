import type { Caller } from '../../access/key.ts'
import { GatewayError, isFailure, toGatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import {
  isPassedOn,
  judgeCallerEvent,
  measureEvent,
  type RealtimeEvent,
  readRealtimeEvent,
} from '../../wire/realtime/read-event.ts'
import { readMax, readSessionUpdate, writeUntranscribedSession } from '../../wire/realtime/session-fields.ts'
import { closeCodes } from './realtime-port.ts'
import { maxOutputOf } from './response-cost.ts'
import type { SessionContext } from './session-context.ts'
import { textIn } from './session-names.ts'

/** The maximum number of events that wait in memory while a response is admitted. */
const MAX_WAITING = 64
const MAX_WAITING_CHARACTERS = 1024 * 1024
/** The maximum number of responses of one session at a time. There can be several outside of the conversation. */
const MAX_RESPONSES = 8

/** Processes the caller's events one after the other, since an event after a response must not overtake it. */
export class CallerEvents {
  readonly #session: SessionContext
  readonly #waiting: string[] = []
  #characters = 0
  isWorking = false

  constructor(session: SessionContext) {
    this.#session = session
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS
  }

  push(text: string): void {
    const mayGoOn = !this.isWorking && this.#waiting.length === 0 && this.#session.isOpen
    if (mayGoOn && this.#passOn(text)) return
    this.#characters += text.length
    this.#waiting.push(text)
    void this.work()
  }

  /** Passes an event on at once if it needs nothing else, as nearly all events do. Returns false for other events. */
  #passOn(text: string): boolean {
    const event = readRealtimeEvent(text)
    if (event === undefined || !isPassedOn(event)) return false
    const { bound, upstream } = this.#session.options
    bound.add(measureEvent(event, text.length))
    upstream.send(text)
    return true
  }

  /** Processes an event of the gateway before all waiting events. */
  pushFirst(text: string): void {
    this.#characters += text.length
    this.#waiting.unshift(text)
    void this.work()
  }

  clear(): void {
    this.#waiting.length = 0
    this.#characters = 0
  }

  /** Processes the waiting events. Never rejects. */
  async work(): Promise<void> {
    const session = this.#session
    if (this.isWorking || !session.isOpen) return
    this.isWorking = true
    try {
      for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
        this.#characters -= text.length
        await this.#receive(text)
        if (!session.isOpen) return
      }
    } catch (error) {
      session.fail(error)
    } finally {
      this.isWorking = false
      session.rested()
    }
  }

  /** Processes one event. A refused event does not end the session. */
  async #receive(text: string): Promise<void> {
    const session = this.#session
    const { options } = session
    const event = readRealtimeEvent(text)
    const callersId = event === undefined ? undefined : textIn(event.fields['event_id'])
    try {
      if (event === undefined)
        throw new GatewayError('invalid_json', { message: 'An event must be a JSON object with a "type".' })
      const kind = judgeCallerEvent(event)
      options.bound.add(measureEvent(event, text.length))
      if (kind === 'passed') options.upstream.send(text)
      else if (kind === 'update') this.#update(event, callersId)
      else await this.#request(event, callersId)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      session.sendError(error.failure, callersId)
    }
  }

  #update({ fields }: RealtimeEvent, callersId: string | undefined): void {
    const session = this.#session
    const { candidate, charges } = session.options
    const update = readSessionUpdate(fields['session'], candidate.publicName, session.wishes)
    const caller = update.asksForTranscript ? recheckCaller(session) : undefined
    if (update.asksForTranscript && caller === undefined) return
    if (caller !== undefined && charges.isLimited(caller))
      throw new GatewayError('field_not_allowed', {
        param: 'session.audio.input.transcription',
        message:
          'The transcript of the input is billed separately, by a model whose cost this session cannot hold in a budget, and a money limit applies to this API key. Leave "session.audio.input.transcription" out.',
      })
    session.wishes = update.wishes
    this.#sendUpdate(update.session, callersId)
  }

  #sendUpdate(update: JsonObject, callersId: string | undefined): void {
    const { names, options } = this.#session
    const event_id = names.add(callersId)
    options.upstream.send(JSON.stringify({ type: 'session.update', event_id, session: update }))
  }

  /** Ends a transcript that began before a limit in money applied. The caller sees the session without it. */
  #endTranscript(caller: Caller): void {
    const session = this.#session
    if (!session.wishes.transcribes || !session.options.charges.isLimited(caller)) return
    session.wishes = { ...session.wishes, transcribes: false }
    this.#sendUpdate(writeUntranscribedSession(), undefined)
  }

  /** Requests a response. A refused response has its row, as a refused request has. */
  async #request({ fields }: RealtimeEvent, callersId: string | undefined): Promise<void> {
    try {
      await this.#create(fields['response'], callersId)
    } catch (error) {
      if (error instanceof GatewayError) this.#session.turns.recordRefusal(error.failure)
      throw error
    }
  }

  /** Admits a response in the same way as a request, and asks the provider for it. */
  async #create(given: JsonValue | undefined, callersId: string | undefined): Promise<void> {
    const session = this.#session
    const { charges, candidate, upstream, live } = session.options
    const response = isJsonObject(given) ? given : {}
    const own = response['max_output_tokens']
    const wanted =
      own === undefined ? session.wishes.maxOutputTokens : readMax(own, 'response.max_output_tokens')
    if (session.turns.size >= MAX_RESPONSES) throw new GatewayError('concurrency_limit_exceeded')
    const caller = recheckCaller(session)
    if (caller === undefined) return
    this.#endTranscript(caller)
    const lease = await charges.acquireRate(caller)
    if (lease !== undefined && isFailure(lease)) throw toGatewayError(lease)
    const held = await charges.claim(caller, wanted === 'inf' ? maxOutputOf(candidate.target) : wanted)
    if (isFailure(held)) {
      session.end(held, closeCodes.policy)
      return
    }
    if (!session.isOpen) {
      held.charge[Symbol.dispose]()
      return
    }
    const eventId = session.names.add(callersId)
    const startedAtMs = live.gateway.clock.monotonicMs()
    session.turns.ask({ eventId, held, lease, startedAtMs })
    const capped = { ...response, max_output_tokens: held.maxOutputTokens }
    upstream.send(JSON.stringify({ type: 'response.create', event_id: eventId, response: capped }))
  }
}

/** Checks the caller again. Undefined if its key no longer has access, in which case the session ends. */
export function recheckCaller(session: Pick<SessionContext, 'options' | 'end'>): Caller | undefined {
  try {
    return session.options.request.recheck()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    session.end(error.failure, closeCodes.policy)
    return undefined
  }
}
