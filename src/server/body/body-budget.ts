import type { DeadBuffers } from '../../kit/memory/dead-buffers.ts'

/** The limits. They are read at each reservation, so that a change takes effect at once. */
export interface BodyCapacity {
  /** The maximum number of body bytes that all requests in progress may hold. */
  readonly heldBodyBytes: number
  readonly heldBodyBytesOfKey: number
}

/** The budget that is exhausted: that of all bodies, or the key's share. */
export type ExhaustedCapacity = 'all' | 'key'

/** A part of the budget is reserved for bodies up to this size. */
const SMALL_BODY_BYTES = 64 * 1024

/** The part of the whole budget, and of each key's share, that is reserved for small bodies. */
const SMALL_PART = 1 / 8

interface Share {
  bytes: number
  holds: number
}

/** The reservation for the body of one request. */
export interface BodyHold {
  /**
   * Reserves this many more bytes. If they are not available, returns which budget is exhausted, and reserves nothing.
   */
  grow(bytes: number): ExhaustedCapacity | undefined
  /** Releases all reserved bytes. A second call does nothing. */
  release(): void
}

/**
 * The bytes of all bodies that this process holds for callers. A body counts from before it is read until the end of
 * its request, since it may have to be sent to another channel. One key never gets the whole budget, and large bodies
 * leave a part to small ones. No request waits for room: a wait would hold a connection, and clients retry a 503 by
 * themselves.
 */
export class BodyBudget {
  readonly #capacity: BodyCapacity
  readonly #deadBuffers: Pick<DeadBuffers, 'add'> | undefined
  readonly #all: Share = { bytes: 0, holds: 0 }
  readonly #keys = new Map<string, Share>()

  constructor(capacity: BodyCapacity, deadBuffers?: Pick<DeadBuffers, 'add'>) {
    this.#capacity = capacity
    this.#deadBuffers = deadBuffers
  }

  get heldBytes(): number {
    return this.#all.bytes
  }

  /** Opens an empty hold. */
  open(keyId: string): BodyHold {
    let share = this.#keys.get(keyId)
    if (share === undefined) {
      share = { bytes: 0, holds: 0 }
      this.#keys.set(keyId, share)
    }
    share.holds += 1
    return new Hold(this, keyId, share)
  }

  /** Reserves `more` bytes for a hold that has `held` bytes already. */
  reserve(share: Share, held: number, more: number): ExhaustedCapacity | undefined {
    const { heldBodyBytes, heldBodyBytesOfKey } = this.#capacity
    if (!fits(share.bytes - held, held + more, heldBodyBytesOfKey)) return 'key'
    if (!fits(this.#all.bytes - held, held + more, heldBodyBytes)) return 'all'
    share.bytes += more
    this.#all.bytes += more
    return undefined
  }

  giveBack(keyId: string, share: Share, held: number): void {
    this.#all.bytes -= held
    share.bytes -= held
    share.holds -= 1
    if (share.holds === 0) this.#keys.delete(keyId)
    this.#deadBuffers?.add(held)
  }
}

/**
 * Whether an amount fits. A body that is the only one may use the whole budget, so an idle gateway serves everything
 * that `limits.body` allows.
 */
function fits(others: number, wanted: number, maxBytes: number): boolean {
  if (wanted <= SMALL_BODY_BYTES || others === 0) return others + wanted <= maxBytes
  return others + wanted <= maxBytes * (1 - SMALL_PART)
}

class Hold implements BodyHold {
  readonly #budget: BodyBudget
  readonly #keyId: string
  readonly #share: Share
  #bytes = 0
  #isOpen = true

  constructor(budget: BodyBudget, keyId: string, share: Share) {
    this.#budget = budget
    this.#keyId = keyId
    this.#share = share
  }

  grow(bytes: number): ExhaustedCapacity | undefined {
    const full = this.#budget.reserve(this.#share, this.#bytes, bytes)
    if (full === undefined) this.#bytes += bytes
    return full
  }

  release(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#budget.giveBack(this.#keyId, this.#share, this.#bytes)
  }
}
