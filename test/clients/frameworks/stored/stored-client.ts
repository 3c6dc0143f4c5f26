/** A library that takes answers of the Responses API for stored, used as its own documentation says. */
export interface StoredClient {
  /** Lets the model look cities up until it answers, and gives the answer's words. */
  ask(asking: Asking): Promise<string>
}

export interface Asking {
  /** With `/v1` at its end. */
  readonly baseUrl: string
  readonly key: string
  readonly fetch: typeof globalThis.fetch
  readonly isStream: boolean
  lookUp(city: string): Promise<string>
}

export const question = 'How is the weather?'
export const lookUpDescription = 'The weather of a city.'
