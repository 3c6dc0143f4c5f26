import type { LocalBus } from '../nodes/process-bus.ts'

const MAX_VALUES = 1_000

/** Delivers the values of other processes once the parts of this process listen. Earlier values wait for that. */
export class HeldValues {
  readonly #bus: Pick<LocalBus, 'deliver'>
  #waiting: { readonly topic: string; readonly value: unknown }[] | undefined = []

  constructor(bus: Pick<LocalBus, 'deliver'>) {
    this.#bus = bus
  }

  deliver(topic: string, value: unknown): void {
    if (this.#waiting === undefined) {
      this.#bus.deliver(topic, value)
      return
    }
    this.#waiting.push({ topic, value })
    if (this.#waiting.length > MAX_VALUES) this.#waiting.shift()
  }

  /** Delivers the waiting values, and each later one at once. */
  open(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const { topic, value } of waiting) this.#bus.deliver(topic, value)
  }
}
