/** A third of the 64 MB of buffers at which V8 begins a full collection. */
const COLLECT_AT_BYTES = 20 * 1024 * 1024

/**
 * Counts the buffers that are no longer needed. They are outside V8's heap. Only V8's count of their bytes starts a
 * collection, and that is a full one, although a quick one frees them for a fraction of the cost (decision 0006).
 */
export class DeadBuffers {
  readonly #collect: () => void
  #bytes = 0

  /** `collect` runs a quick collection, and returns when the collection is done. */
  constructor(collect: () => void) {
    this.#collect = collect
  }

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < COLLECT_AT_BYTES) return
    this.#bytes = 0
    this.#collect()
  }
}

/** Creates the `DeadBuffers` of this process. Without `--expose-gc`, nothing is collected. */
export function createDeadBuffers(): DeadBuffers {
  return new DeadBuffers(() => globalThis.gc?.({ type: 'minor' }))
}
