/** A third of the 64 MB of buffers at which V8 begins a full collection. */
const COLLECT_AT_BYTES = 20 * 1024 * 1024

/**
 * The buffers that are no longer needed. They lie outside V8's heap, where only V8's count of their bytes starts a
 * collection: a full one, although a quick one frees them for a fraction of its cost (decision 0006).
 */
export class DeadBuffers {
  readonly #collect: () => void
  #bytes = 0

  /** `collect` runs a quick collection, and returns when it is over. */
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

/** Dead buffers of this process; nothing is collected where Node runs without `--expose-gc`. */
export function createDeadBuffers(): DeadBuffers {
  return new DeadBuffers(() => globalThis.gc?.({ type: 'minor' }))
}
