import type { DeadBuffers } from '../../kit/memory/dead-buffers.ts'

/** The limits, read whenever room is asked for, so that a change counts at once. */
export interface BodyCapacity {
  /** The most body bytes that all requests in progress may hold. */
  readonly heldBodyBytes: number
  readonly heldBodyBytesOfKey: number
}

/** The budget that is used up: that of all bodies, or the key's share. */
export type ExhaustedCapacity = 'all' | 'key'

/** Bodies up to this size have room that larger ones cannot take. */
const SMALL_BODY_BYTES = 64 * 1024

/** The part of all room, and of each key's, that is for small bodies alone. */
const SMALL_PART = 1 / 8

interface Share {
  bytes: number
  holds: number
}

/** The room that one request's body holds. */
export interface BodyHold {
  /** Reserves room for so many more bytes; where none is left, says whose is used up and reserves nothing. */
  grow(bytes: number): ExhaustedCapacity | undefined
  /** Gives everything back. What is given back already stays so. */
  release(): void
}

/**
 * The bytes of all bodies that this process holds for callers: each from before it is read until its request is over,
 * since another channel may have to be asked the same. One key never has all of it, and large bodies leave a part to
 * small ones. No request waits for room: it would hold a connection, and clients retry a 503 by themselves.
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

  /** Opens a hold that takes nothing yet. */
  open(keyId: string): BodyHold {
    let share = this.#keys.get(keyId)
    if (share === undefined) {
      share = { bytes: 0, holds: 0 }
      this.#keys.set(keyId, share)
    }
    share.holds += 1
    return new Hold(this, keyId, share)
  }

  /** Reserves `more` for a hold that has `held` already. */
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

/** A body that is alone may have all: whatever `limits.body` lets in is served by a gateway that does nothing else. */
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
