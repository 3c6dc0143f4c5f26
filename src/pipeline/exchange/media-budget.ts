import type { MediaPolicy } from '../../catalog/media-schema.ts'

/** The most that a request wants to fetch. */
export interface MediaNeed {
  readonly keyId: string
  readonly bytes: number
  readonly fetches: number
  /** The limits of the configuration that the request arrived under. */
  readonly limits: Pick<MediaPolicy, 'maxHeldBytes' | 'maxHeldBytesOfKey' | 'maxFetches'>
}

/** Requests that wait beyond this are refused at once. */
const MAX_WAITING = 1_000

interface Held {
  bytes: number
  fetches: number
}

/** The hold of one request on the budget: room for its files, and for the fetches that bring them. */
export interface MediaHold {
  readonly bytes: number
  readonly fetches: number
  /** Gives back all but this many bytes, which stay in memory once the fetches are over. */
  shrink(bytes: number): void
  /** Gives everything back. What is given back already stays so. */
  release(): void
}

interface Waiter {
  readonly need: MediaNeed
  readonly go: (hold: MediaHold | undefined) => void
}

/**
 * All that this process holds, and fetches at one time, of files behind callers' addresses. Room is taken for the
 * most that a request can come to, before the first byte of it is asked for. One key never has all of it: others find
 * room beside it. Who finds none waits, the first first, save that a key at its share holds up no other.
 */
export class MediaBudget {
  readonly #all: Held = { bytes: 0, fetches: 0 }
  readonly #keys = new Map<string, Held>()
  #waiting: Waiter[] = []

  /** Bytes that are held or may come. */
  get heldBytes(): number {
    return this.#all.bytes
  }

  /** Waits for room until `signal` says that it is too late; undefined where there was none. */
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
        // The requests behind may have waited for this one alone.
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

/** Half of all, so that another key finds room. */
export function fetchesOfKey({ maxFetches }: Pick<MediaPolicy, 'maxFetches'>): number {
  return Math.ceil(maxFetches / 2)
}
