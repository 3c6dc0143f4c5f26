export interface WriteBufferOptions<Entry> {
  readonly maxBytes: number
  readonly bytesOf: (entry: Entry) => number
  /** Joins an entry that could not be written with a newer entry of the same name. */
  readonly join: (older: Entry | undefined, newer: Entry) => Entry
  /** Called for each entry that is dropped. */
  readonly onDrop?: (entry: Entry) => void
  /** Called for the first entry that is dropped since the last successful write. */
  readonly onLoss: () => void
}

/**
 * Entries by name that wait to be written to the database in batches. An entry is found until its write has succeeded.
 * Beyond the bound, the oldest entries are dropped: only a database that fails for a long time lets so much wait.
 */
export class WriteBuffer<Entry> {
  readonly #options: WriteBufferOptions<Entry>
  #waiting = new Map<string, Entry>()
  /** The entries that are being written. */
  #written = new Map<string, Entry>()
  #waitingBytes = 0
  #hasLost = false

  constructor(options: WriteBufferOptions<Entry>) {
    this.#options = options
  }

  /** The entry that waits for the next write. */
  findWaiting(name: string): Entry | undefined {
    return this.#waiting.get(name)
  }

  /** The entry that is being written. */
  findWritten(name: string): Entry | undefined {
    return this.#written.get(name)
  }

  /** All entries, the older ones first. */
  *entries(): Iterable<Entry> {
    yield* this.#written.values()
    yield* this.#waiting.values()
  }

  add(name: string, entry: Entry): void {
    this.#waitingBytes += this.#options.bytesOf(entry) - this.#bytesOf(this.#waiting.get(name))
    this.#waiting.delete(name)
    this.#waiting.set(name, entry)
    this.#dropOver()
  }

  /** Writes the waiting entries, if there are any. Entries whose write fails wait for the next one. */
  async flush(write: (entries: readonly Entry[]) => Promise<void>): Promise<void> {
    if (this.#waiting.size === 0) return
    this.#written = this.#waiting
    this.#waiting = new Map()
    this.#waitingBytes = 0
    try {
      await write([...this.#written.values()])
      this.#hasLost = false
    } catch (error) {
      this.#putBack()
      throw error
    } finally {
      this.#written = new Map()
    }
  }

  /** Entries that were added during the failed write are newer and stay. */
  #putBack(): void {
    const newer = this.#waiting
    this.#waiting = new Map(this.#written)
    for (const [name, entry] of newer)
      this.#waiting.set(name, this.#options.join(this.#waiting.get(name), entry))
    this.#waitingBytes = 0
    for (const entry of this.#waiting.values()) this.#waitingBytes += this.#options.bytesOf(entry)
    this.#dropOver()
  }

  #dropOver(): void {
    for (const [name, entry] of this.#waiting) {
      if (this.#waitingBytes <= this.#options.maxBytes) return
      this.#waiting.delete(name)
      this.#waitingBytes -= this.#options.bytesOf(entry)
      this.#options.onDrop?.(entry)
      if (!this.#hasLost) this.#options.onLoss()
      this.#hasLost = true
    }
  }

  #bytesOf(entry: Entry | undefined): number {
    return entry === undefined ? 0 : this.#options.bytesOf(entry)
  }
}
