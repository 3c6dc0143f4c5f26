import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'

/** Names that are remembered; of more, the oldest are forgotten. */
const MAX_NAMES = 128

/** The ids of events for the provider. The caller's own are shown in answers to them. */
export class EventNames {
  readonly #callersIds = new Map<string, string | undefined>()
  #count = 0

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
