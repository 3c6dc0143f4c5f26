import type { MediaPolicy } from '../../catalog/media-schema.ts'

/** The maximum that a request may fetch. */
export interface MediaNeed {
  readonly keyId: string
  readonly bytes: number
  readonly fetches: number
  /** The limits of the configuration under which the request arrived. */
  readonly limits: Pick<MediaPolicy, 'maxHeldBytes' | 'maxHeldBytesOfKey' | 'maxFetches'>
}

/** The maximum number of waiting requests. Further requests are refused at once. */
const MAX_WAITING = 1_000

interface Held {
  bytes: number
  fetches: number
}

/** The room that one request holds in the budget, for its files and for the fetches that load them. */
export interface MediaHold {
  readonly bytes: number
  readonly fetches: number
  /** Releases all but this many bytes, which stay in memory after the fetches are over. */
  shrink(bytes: number): void
  /** Releases everything. A second call releases nothing more. */
  release(): void
}

interface Waiter {
  readonly need: MediaNeed
  readonly go: (hold: MediaHold | undefined) => void
}

/**
 * The bytes that this process holds, and the fetches that it makes at one time, for files from addresses in requests. A
 * request reserves its maximum before the first byte is fetched. One key can never use all of the budget, so that
 * others find room, too. Requests that find no room wait in order, except that a key at its share does not hold up
 * other keys.
 */
export class MediaBudget {
  readonly #all: Held = { bytes: 0, fetches: 0 }
  readonly #keys = new Map<string, Held>()
  #waiting: Waiter[] = []

  /** The number of bytes that are held or may still arrive. */
  get heldBytes(): number {
    return this.#all.bytes
  }

  /** Waits for room until `signal` is aborted; undefined if there was no room until then. */
  reserve(need: MediaNeed, signal: AbortSignal): Promise<MediaHold | undefined> {
    if (signal.aborted || this.#waiting.length >= MAX_WAITING) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        need,
        go: (hold) => {
          signal.removeEventListener('abort', giveUp)
          resolve(hold)
        },
      }
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter)
        resolve(undefined)
        // The requests after this one may have waited only for this one.
        this.#admit()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(waiter)
      this.#admit()
    })
  }

  #admit(): void {
    const before = this.#waiting
    if (before.length === 0) return
    const left: Waiter[] = []
    let isFull = false
    for (const waiter of before) {
      const { need } = waiter
      const isAtShare = !this.#fitsKey(need)
      isFull ||= !isAtShare && !this.#fitsAll(need)
      if (isFull || isAtShare) left.push(waiter)
      else waiter.go(this.#grant(need))
    }
    this.#waiting = left
  }

  #fitsAll({ bytes, fetches, limits }: MediaNeed): boolean {
    const { maxHeldBytes, maxFetches } = limits
    return this.#all.bytes + bytes <= maxHeldBytes && this.#all.fetches + fetches <= maxFetches
  }

  #fitsKey({ keyId, bytes, fetches, limits }: MediaNeed): boolean {
    const held = this.#keys.get(keyId) ?? { bytes: 0, fetches: 0 }
    return held.bytes + bytes <= limits.maxHeldBytesOfKey && held.fetches + fetches <= fetchesOfKey(limits)
  }

  #grant(need: MediaNeed): MediaHold {
    const { keyId, bytes, fetches } = need
    this.#add(keyId, { bytes, fetches })
    const change = (to: Held) => {
      this.#add(keyId, { bytes: to.bytes - hold.bytes, fetches: to.fetches - hold.fetches })
      hold.bytes = to.bytes
      hold.fetches = to.fetches
      this.#admit()
    }
    const hold = {
      bytes,
      fetches,
      shrink: (usedBytes: number) => change({ bytes: Math.min(usedBytes, hold.bytes), fetches: 0 }),
      release: () => change({ bytes: 0, fetches: 0 }),
    }
    return hold
  }

  #add(keyId: string, more: Held): void {
    const held = this.#keys.get(keyId) ?? { bytes: 0, fetches: 0 }
    for (const each of [this.#all, held]) {
      each.bytes += more.bytes
      each.fetches += more.fetches
    }
    if (held.bytes === 0 && held.fetches === 0) this.#keys.delete(keyId)
    else this.#keys.set(keyId, held)
  }
}

/** The maximum number of fetches of one key: half of all, so that another key finds room. */
export function fetchesOfKey({ maxFetches }: Pick<MediaPolicy, 'maxFetches'>): number {
  return Math.ceil(maxFetches / 2)
}
