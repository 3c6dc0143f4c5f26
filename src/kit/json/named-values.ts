import type { JsonObject, JsonValue } from './json.ts'

/** The limit of names. No real answer has as many fields of one kind. */
const MAX_NAMES = 4_096

/** Thrown where an object of an answer has more names than any real answer. */
class TooManyNamesError extends Error {
  override readonly name = 'TooManyNamesError'

  constructor() {
    super(`an object has more than ${MAX_NAMES} names`)
  }
}

/**
 * Fields that arrive in several pieces. The last value of each field remains. A piece costs what it adds, not what
 * came before it.
 */
export class NamedValues {
  readonly #values = new Map<string, JsonValue | undefined>()

  get size(): number {
    return this.#values.size
  }

  /** Adds fields. Throws `TooManyNamesError` where there are more than 4,096 names. */
  add(fields: JsonObject | undefined): void {
    if (fields === undefined) return
    for (const name of Object.keys(fields)) this.set(name, fields[name])
  }

  set(name: string, value: JsonValue | undefined): void {
    if (this.#values.size >= MAX_NAMES && !this.#values.has(name)) throw new TooManyNamesError()
    this.#values.set(name, value)
  }

  get fields(): JsonObject {
    return Object.fromEntries(this.#values)
  }
}
