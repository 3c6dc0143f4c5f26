import { MINUTE_MS } from '../kit/time/time-units.ts'
import type { KeyId } from './key.ts'

/** Later uses within this time of the one that is known say nothing new. */
const RESOLUTION_MS = MINUTE_MS

/** The last use of each key, to the minute, and the part that is not stored yet. */
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

  lastMs(id: KeyId): number | undefined {
    return this.#last.get(id)
  }

  /** Hands over what is not stored yet. Where it cannot be stored, it must be given back. */
  drainUnsaved(): ReadonlyMap<KeyId, number> {
    const unsaved = this.#unsaved
    this.#unsaved = new Map()
    return unsaved
  }

  giveBack(unsaved: ReadonlyMap<KeyId, number>): void {
    this.#unsaved = new Map([...unsaved, ...this.#unsaved])
  }

  /** Called with every use that is to be stored. */
  watch(onUnsaved: () => void): void {
    this.#onUnsaved = onUnsaved
  }
}
