import { MINUTE_MS } from '../kit/time/time-units.ts'
import type { KeyId } from './key.ts'

/** A use within this time after the known last use is not stored. */
const RESOLUTION_MS = MINUTE_MS

/** A key and the time of its last use, in milliseconds since 1970. */
export type KeyUse = readonly [id: KeyId, atMs: number]

/** The last use of each key, to the minute, and the uses that are not stored yet. */
export class KeyUses {
  readonly #last: Map<KeyId, number>
  #unsaved = new Map<KeyId, number>()
  #onUnsaved: () => void = () => undefined

  constructor(stored: ReadonlyMap<KeyId, number> = new Map()) {
    this.#last = new Map(stored)
  }

  record(id: KeyId, nowMs: number): void {
    const last = this.#last.get(id)
    if (last !== undefined && nowMs - last < RESOLUTION_MS) return
    this.#last.set(id, nowMs)
    this.#unsaved.set(id, nowMs)
    this.#onUnsaved()
  }

  /** Learns uses that another process has stored. */
  adopt(stored: readonly KeyUse[]): void {
    for (const [id, atMs] of stored) this.#last.set(id, Math.max(atMs, this.#last.get(id) ?? atMs))
  }

  lastMs(id: KeyId): number | undefined {
    return this.#last.get(id)
  }

  /** Returns the uses that are not stored yet and clears them. If storing fails, the caller must give them back. */
  drainUnsaved(): ReadonlyMap<KeyId, number> {
    const unsaved = this.#unsaved
    this.#unsaved = new Map()
    return unsaved
  }

  giveBack(unsaved: ReadonlyMap<KeyId, number>): void {
    this.#unsaved = new Map([...unsaved, ...this.#unsaved])
  }

  /** Registers a callback for every use that has to be stored. */
  watch(onUnsaved: () => void): void {
    this.#onUnsaved = onUnsaved
  }
}
