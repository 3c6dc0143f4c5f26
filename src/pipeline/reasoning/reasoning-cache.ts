import type { Clock } from '../../kit/time/clock.ts'
import type { ReasoningLayout } from './reasoning-layout.ts'

/** Size and lifetime of the cache. The least recently used entries are evicted first. */
export interface ReasoningCacheLimits {
  /** Since the entry was last stored or read. */
  readonly lifetimeMs: number
  readonly bytesOfKey: number
  readonly bytesInAll: number
}

export const reasoningCacheLimits: ReasoningCacheLimits = {
  lifetimeMs: 6 * 3_600_000,
  bytesOfKey: 4 * 1024 * 1024,
  bytesInAll: 64 * 1024 * 1024,
}

export interface CachedReasoning {
  /** The account whose signatures they are. */
  readonly account: string
  readonly layout: ReasoningLayout
}

/** Where one is found again. */
export interface ReasoningKey {
  /** The caller's key: no caller finds the reasoning of another. */
  readonly keyId: string
  /** Of the first call beside the reasoning. */
  readonly callId: string
  /** Distinguishes calls of one id, which some servers number from the beginning in each answer. */
  readonly mark: number
}

/** An entry costs more than its texts. */
const ENTRY_BYTES = 300

/** The provider chooses a call's id. Those of providers have some 30 characters. */
const MAX_CALL_ID_CHARACTERS = 512
const BYTES_OF_CHARACTER = 2

class Entry {
  readonly cached: CachedReasoning
  readonly mark: number
  readonly bytes: number
  usedAtMs: number
  constructor(cached: CachedReasoning, { mark, callId }: ReasoningKey, usedAtMs: number) {
    this.cached = cached
    this.mark = mark
    this.bytes = ENTRY_BYTES + callId.length * BYTES_OF_CHARACTER + cached.layout.bytes
    this.usedAtMs = usedAtMs
  }
}

/** Of one key: entries by call and mark, in the order of their last use. */
class KeyPartition {
  readonly entries = new Map<string, Entry>()
  bytes = 0
}

/**
 * Reasoning with its signatures, stored for clients that return no reasoning, and found by the tool calls beside it.
 * In memory alone: after a restart it is gone, and the answer goes on without it.
 */
export class ReasoningCache {
  readonly #limits: ReasoningCacheLimits
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** In the order of their last use. */
  readonly #shelves = new Map<string, KeyPartition>()
  #bytes = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: ReasoningCacheLimits = reasoningCacheLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  /** An entry larger than a key's share is not stored, nor one beside a call whose ID is too long. */
  keep(key: ReasoningKey, cached: CachedReasoning): void {
    if (key.callId.length > MAX_CALL_ID_CHARACTERS) return
    const entry = new Entry(cached, key, this.#clock.monotonicMs())
    if (entry.bytes > this.#limits.bytesOfKey) return
    this.#dropExpired(entry.usedAtMs)
    const shelf = this.#useShelf(key.keyId) ?? this.#addShelf(key.keyId)
    const name = nameOf(key)
    this.#drop(shelf, name)
    shelf.entries.set(name, entry)
    shelf.bytes += entry.bytes
    this.#bytes += entry.bytes
    while (shelf.bytes > this.#limits.bytesOfKey) this.#dropOldest(shelf)
    while (this.#bytes > this.#limits.bytesInAll) this.#dropLeastUsed()
  }

  /** Whether the cache holds anything for the key. */
  holds(keyId: string): boolean {
    return this.#shelves.has(keyId)
  }

  find(key: ReasoningKey): CachedReasoning | undefined {
    const nowMs = this.#clock.monotonicMs()
    const shelf = this.#useShelf(key.keyId)
    const name = nameOf(key)
    const entry = shelf?.entries.get(name)
    if (shelf === undefined || entry === undefined) return undefined
    if (this.#isExpired(entry, nowMs)) {
      this.#drop(shelf, name)
      return undefined
    }
    entry.usedAtMs = nowMs
    shelf.entries.delete(name)
    shelf.entries.set(name, entry)
    return entry.cached
  }

  #useShelf(keyId: string): KeyPartition | undefined {
    const shelf = this.#shelves.get(keyId)
    if (shelf === undefined) return undefined
    this.#shelves.delete(keyId)
    this.#shelves.set(keyId, shelf)
    return shelf
  }

  #addShelf(keyId: string): KeyPartition {
    const shelf = new KeyPartition()
    this.#shelves.set(keyId, shelf)
    return shelf
  }

  #isExpired(entry: Entry, nowMs: number): boolean {
    return nowMs - entry.usedAtMs > this.#limits.lifetimeMs
  }

  /** From the shelf that was used least recently on, as far as anything is expired. */
  #dropExpired(nowMs: number): void {
    for (const [keyId, shelf] of this.#shelves) {
      for (const [name, entry] of shelf.entries) {
        if (!this.#isExpired(entry, nowMs)) break
        this.#drop(shelf, name)
      }
      if (shelf.entries.size > 0) return
      this.#shelves.delete(keyId)
    }
  }

  #dropLeastUsed(): void {
    const [first] = this.#shelves
    if (first === undefined) return
    const [keyId, shelf] = first
    this.#dropOldest(shelf)
    if (shelf.entries.size === 0) this.#shelves.delete(keyId)
  }

  #dropOldest(shelf: KeyPartition): void {
    const [name] = shelf.entries.keys()
    if (name !== undefined) this.#drop(shelf, name)
  }

  #drop(shelf: KeyPartition, name: string): void {
    const entry = shelf.entries.get(name)
    if (entry === undefined) return
    shelf.entries.delete(name)
    shelf.bytes -= entry.bytes
    this.#bytes -= entry.bytes
  }
}

function nameOf({ callId, mark }: ReasoningKey): string {
  return `${callId} ${mark}`
}
