/** A value that one process published to all others. */
export interface PublishedValue {
  readonly topic: string
  readonly value: unknown
  /** The process that published the value; undefined for the host. */
  readonly from: string | undefined
}

const MAX_VALUES = 1_000

/** The values of the last moments, for processes that connect later than others. The oldest are dropped first. */
export class RecentValues {
  #values: PublishedValue[] | undefined

  /** Begins to collect. */
  begin(earlier: readonly PublishedValue[] = []): void {
    this.#values = [...earlier]
  }

  /** Returns whether values are being collected. */
  add(value: PublishedValue): boolean {
    if (this.#values === undefined) return false
    this.#values.push(value)
    if (this.#values.length > MAX_VALUES) this.#values.shift()
    return true
  }

  list(): readonly PublishedValue[] {
    return this.#values ?? []
  }

  end(): void {
    this.#values = undefined
  }
}
