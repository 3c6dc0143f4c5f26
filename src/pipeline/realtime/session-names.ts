import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { idPrefixes } from '../../kit/random/ids.ts'

/** Names that are remembered; of more, the oldest are forgotten. */
const MAX_NAMES = 128

/** A shorter id of a provider could be a part of other words. */
const MIN_ID_CHARACTERS = 8

/**
 * The ids of a session that differ between its ends: that of the session itself, and those of the caller's events,
 * which are shown in answers to them.
 */
export class SessionNames {
  /** The id of the session as its caller knows it. */
  readonly sessionId: string
  readonly #callersIds = new Map<string, string | undefined>()
  #providersId: string | undefined
  #count = 0

  /** `requestId` is that of the handshake. */
  constructor(requestId: string) {
    this.sessionId = requestId.replace(idPrefixes.request, 'sess_')
  }

  /** Remembers what the provider calls the session. */
  learn(event: JsonObject): void {
    const { session } = event
    const id = isJsonObject(session) ? textIn(session['id']) : undefined
    if (id !== undefined && id.length >= MIN_ID_CHARACTERS) this.#providersId = id
  }

  /** Words of the provider, such as those of an error, without its id of the session. */
  hide(text: string): string {
    return this.#providersId === undefined ? text : text.replaceAll(this.#providersId, this.sessionId)
  }

  /** A new id for an event that its caller calls so. */
  add(callersId: string | undefined): string {
    this.#count += 1
    const id = `hg_${this.#count}`
    const [oldest] = this.#callersIds.keys()
    if (this.#callersIds.size >= MAX_NAMES && oldest !== undefined) this.#callersIds.delete(oldest)
    this.#callersIds.set(id, callersId)
    return id
  }

  /** An error of the provider with the caller's own id in it. */
  show(error: JsonObject): JsonObject {
    const id = textIn(error['event_id'])
    if (id === undefined || !this.#callersIds.has(id)) return error
    return { ...error, event_id: this.#callersIds.get(id) ?? null }
  }
}

export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The id of the response that an event is about; empty where it names none. */
export function responseIdOf({ response }: JsonObject): string {
  return isJsonObject(response) ? (textIn(response['id']) ?? '') : ''
}
