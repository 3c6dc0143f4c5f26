import { createFailure } from '../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { RealtimeEvent } from '../../wire/realtime/read-event.ts'
import { readRealtimeUsage } from '../../wire/realtime/read-usage.ts'
import { recheckCaller } from './caller-events.ts'
import { closeCodes } from './realtime-port.ts'
import type { FinishedResponse } from './response-turns.ts'
import type { SessionContext } from './session-context.ts'
import { responseIdOf, textIn } from './session-names.ts'

/** Relays the provider's events, and asks for the responses to the turns that the provider detects. */
export class ProviderEvents {
  readonly #session: SessionContext
  readonly #detected = new DetectedTurns()

  constructor(session: SessionContext) {
    this.#session = session
  }

  relay({ type, fields }: RealtimeEvent, text: string): void {
    const session = this.#session
    switch (type) {
      case 'session.created':
      case 'session.updated':
        session.sendSession(fields)
        return
      // The limits of the provider's account are not shown to callers.
      case 'rate_limits.updated':
        return
      case 'error':
        this.#relayError(fields)
        return
      case 'response.created':
        this.#beginResponse(responseIdOf(fields), text)
        return
      case 'response.done':
        this.#finishResponse(fields, text)
        return
      case 'input_audio_buffer.speech_stopped':
        this.#detected.ended()
        session.sendText(text)
        return
      case 'input_audio_buffer.committed':
        session.sendText(text)
        this.#detected.committed(session.wishes.isAutomatic)
        this.#requestOwedResponse()
        return
      default:
        session.turns.sawContent(textIn(fields['response_id']) ?? '', text.length, type.endsWith('.delta'))
        session.sendText(text)
    }
  }

  /** Records that a response has begun. A repeated event is dropped, since it belongs to no other response. */
  #beginResponse(responseId: string, text: string): void {
    const session = this.#session
    if (session.turns.has(responseId)) return
    if (session.turns.begin(responseId)) session.sendText(text)
    else this.#endUnasked()
  }

  #finishResponse(fields: JsonObject, text: string): void {
    const session = this.#session
    const { response } = fields
    if (!isJsonObject(response) || !session.turns.finish(responseIdOf(fields), readFinished(response))) {
      this.#endUnasked()
      return
    }
    session.sendText(text)
    session.responseEnded()
    if (session.isOpen) void this.#renew()
  }

  /** Holds the next response. If it does not fit into the budgets, the session ends. Never rejects. */
  async #renew(): Promise<void> {
    const session = this.#session
    try {
      const caller = session.isIdle ? recheckCaller(session) : undefined
      const refused = caller && (await session.options.charges.renew(caller))
      if (refused !== undefined) return session.end(refused, closeCodes.policy)
      this.#requestOwedResponse()
      session.rested()
    } catch (error) {
      session.fail(error)
    }
  }

  /** Asks for the response that follows a detected turn. */
  #requestOwedResponse(): void {
    const session = this.#session
    if (session.turns.size > 0 || !session.isOpen || !this.#detected.settle()) return
    session.pushFirst('{"type":"response.create"}')
  }

  #relayError({ error, ...fields }: JsonObject): void {
    const session = this.#session
    const { redactor } = session.options.live.gateway
    const redact = (text: string) => session.names.hide(redactor.redact(text))
    const errorObject = isJsonObject(error) ? error : {}
    const logCause = redact(textIn(errorObject['message']) ?? 'the provider refused the response')
    const id = textIn(errorObject['event_id']) ?? ''
    const isOfResponse = session.turns.refuse(id, createFailure('upstream_rejected', { logCause }))
    session.sendText(redact(JSON.stringify({ ...fields, error: session.names.show(errorObject) })))
    if (isOfResponse) void this.#renew()
  }

  #endUnasked(): void {
    this.#session.options.upstream.send(JSON.stringify({ type: 'response.cancel' }))
    const logCause = 'the provider began or ended a response that was not requested'
    this.#session.end(createFailure('upstream_bad_response', { logCause }), closeCodes.fault)
  }
}

function readFinished({ usage, status, output }: JsonObject): FinishedResponse {
  const hasOutput = isJsonArray(output) && output.length > 0
  return { usage: readRealtimeUsage(usage), hasOutput, hasFailed: status === 'failed' }
}

/** The caller's turns that a provider detects. Each must be followed by a response. */
class DetectedTurns {
  /** Whether the end of a turn was detected before its sound is committed. */
  #hasEnded = false
  #owesResponse = false

  ended(): void {
    this.#hasEnded = true
  }

  /**
   * Called when the sound of a turn became part of the conversation. Sound that the caller commits itself asks for no
   * response.
   */
  committed(isAutomatic: boolean): void {
    if (this.#hasEnded && isAutomatic) this.#owesResponse = true
    this.#hasEnded = false
  }

  /** Returns whether a response is owed, and resets that. */
  settle(): boolean {
    const isOwed = this.#owesResponse
    this.#owesResponse = false
    return isOwed
  }
}
