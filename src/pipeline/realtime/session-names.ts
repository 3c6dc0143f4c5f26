import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { idPrefixes } from '../../kit/random/ids.ts'

/** The maximum number of remembered IDs. Above it, the oldest are dropped. */
const MAX_NAMES = 128

/** The minimum length of a provider's ID. A shorter one could be part of other words. */
const MIN_ID_CHARACTERS = 8

/**
 * The IDs of a session that differ between its two sides: the ID of the session itself, and those of the caller's
 * events, which are shown in answers to them.
 */
export class SessionNames {
  /** The ID by which the caller knows the session. */
  readonly sessionId: string
  readonly #callersIds = new Map<string, string | undefined>()
  #providersId: string | undefined
  #count = 0

  /** Creates the names. `requestId` is the request ID of the handshake. */
  constructor(requestId: string) {
    this.sessionId = requestId.replace(idPrefixes.request, 'sess_')
  }

  /** Remembers the provider's ID of the session. */
  learn(event: JsonObject): void {
    const { session } = event
    const id = isJsonObject(session) ? textIn(session['id']) : undefined
    if (id !== undefined && id.length >= MIN_ID_CHARACTERS) this.#providersId = id
  }

  /** Replaces the provider's ID of the session in its texts, such as errors. */
  hide(text: string): string {
    return this.#providersId === undefined ? text : text.replaceAll(this.#providersId, this.sessionId)
  }

  /** Creates a new ID for an event that has this ID for the caller. */
  add(callersId: string | undefined): string {
    this.#count += 1
    const id = `hg_${this.#count}`
    const [oldest] = this.#callersIds.keys()
    if (this.#callersIds.size >= MAX_NAMES && oldest !== undefined) this.#callersIds.delete(oldest)
    this.#callersIds.set(id, callersId)
    return id
  }

  /** An error of the provider with the caller's own ID in it. */
  show(error: JsonObject): JsonObject {
    const id = textIn(error['event_id'])
    if (id === undefined || !this.#callersIds.has(id)) return error
    return { ...error, event_id: this.#callersIds.get(id) ?? null }
  }
}

export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The ID of the response that an event is about; empty where it names none. */
export function responseIdOf({ response }: JsonObject): string {
  return isJsonObject(response) ? (textIn(response['id']) ?? '') : ''
}
