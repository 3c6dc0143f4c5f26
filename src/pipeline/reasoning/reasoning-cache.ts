import type { Clock } from '../../kit/time/clock.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { ReasoningLayout } from './reasoning-layout.ts'

/** Size and lifetime of the cache. The least recently used entries are evicted first. */
export interface ReasoningCacheLimits {
  /** The lifetime since the entry was last stored or read. */
  readonly lifetimeMs: number
  readonly bytesOfKey: number
  readonly bytesInAll: number
}

const reasoningCacheLimits: ReasoningCacheLimits = {
  lifetimeMs: 6 * HOUR_MS,
  bytesOfKey: 4 * 1024 * 1024,
  bytesInAll: 64 * 1024 * 1024,
}

export interface CachedReasoning {
  /** The account to which the signatures belong. */
  readonly account: string
  readonly layout: ReasoningLayout
}

/** The key under which reasoning is found again. */
export interface ReasoningKey {
  /** The caller's key. No caller finds the reasoning of another caller. */
  readonly keyId: string
  /** The ID of the first call next to the reasoning. */
  readonly callId: string
  /** Distinguishes calls with the same ID, since some servers number the calls of each answer from the beginning. */
  readonly fingerprint: number
}

/** The estimated size of an entry without its texts. */
const ENTRY_BYTES = 300

/** The maximum length of a call's ID, which the provider chooses. Usual IDs have some 30 characters. */
const MAX_CALL_ID_CHARACTERS = 512
const BYTES_OF_CHARACTER = 2

class Entry {
  readonly cached: CachedReasoning
  readonly bytes: number
  usedAtMs: number
  constructor(cached: CachedReasoning, { callId }: ReasoningKey, usedAtMs: number) {
    this.cached = cached
    this.bytes = ENTRY_BYTES + callId.length * BYTES_OF_CHARACTER + cached.layout.bytes
    this.usedAtMs = usedAtMs
  }
}

/** The entries of one key, by call and fingerprint, in the order of their last use. */
class KeyPartition {
  readonly entries = new Map<string, Entry>()
  bytes = 0
}

/**
 * Stores reasoning and its signatures for clients that return no reasoning. It is found by the tool calls next to it.
 * The cache is only in memory. After a restart the conversation continues without the reasoning.
 */
export class ReasoningCache {
  readonly #limits: ReasoningCacheLimits
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** The partitions in the order of their last use. */
  readonly #partitions = new Map<string, KeyPartition>()
  #bytes = 0

  /** Called with each entry that this process has found; undefined where no other process needs it. */
  onFound: ((key: ReasoningKey, cached: CachedReasoning) => void) | undefined

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: ReasoningCacheLimits = reasoningCacheLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Stores an entry. An entry is dropped if it is larger than a key's share, or if the ID of its call is too long. */
  keep(key: ReasoningKey, cached: CachedReasoning): void {
    this.onFound?.(key, cached)
    this.adopt(key, cached)
  }

  /** Stores an entry that another process has found. */
  adopt(key: ReasoningKey, cached: CachedReasoning): void {
    if (key.callId.length > MAX_CALL_ID_CHARACTERS) return
    const entry = new Entry(cached, key, this.#clock.monotonicMs())
    if (entry.bytes > this.#limits.bytesOfKey) return
    this.#dropExpired(entry.usedAtMs)
    const partition = this.#usePartition(key.keyId) ?? this.#addPartition(key.keyId)
    const name = nameOf(key)
    this.#drop(partition, name)
    partition.entries.set(name, entry)
    partition.bytes += entry.bytes
    this.#bytes += entry.bytes
    while (partition.bytes > this.#limits.bytesOfKey) this.#dropOldest(partition)
    while (this.#bytes > this.#limits.bytesInAll) this.#evict()
  }

  /** Whether the cache has entries for the key. */
  holds(keyId: string): boolean {
    return this.#partitions.has(keyId)
  }

  find(key: ReasoningKey): CachedReasoning | undefined {
    const nowMs = this.#clock.monotonicMs()
    const partition = this.#usePartition(key.keyId)
    const name = nameOf(key)
    const entry = partition?.entries.get(name)
    if (partition === undefined || entry === undefined) return undefined
    if (this.#isExpired(entry, nowMs)) {
      this.#drop(partition, name)
      return undefined
    }
    entry.usedAtMs = nowMs
    partition.entries.delete(name)
    partition.entries.set(name, entry)
    return entry.cached
  }

  #usePartition(keyId: string): KeyPartition | undefined {
    const partition = this.#partitions.get(keyId)
    if (partition === undefined) return undefined
    this.#partitions.delete(keyId)
    this.#partitions.set(keyId, partition)
    return partition
  }

  #addPartition(keyId: string): KeyPartition {
    const partition = new KeyPartition()
    this.#partitions.set(keyId, partition)
    return partition
  }

  #isExpired(entry: Entry, nowMs: number): boolean {
    return nowMs - entry.usedAtMs > this.#limits.lifetimeMs
  }

  /** Drops expired entries, starting with the least recently used partition. */
  #dropExpired(nowMs: number): void {
    for (const [keyId, partition] of this.#partitions) {
      for (const [name, entry] of partition.entries) {
        if (!this.#isExpired(entry, nowMs)) break
        this.#drop(partition, name)
      }
      if (partition.entries.size > 0) return
      this.#partitions.delete(keyId)
    }
  }

  #evict(): void {
    const [first] = this.#partitions
    if (first === undefined) return
    const [keyId, partition] = first
    this.#dropOldest(partition)
    if (partition.entries.size === 0) this.#partitions.delete(keyId)
  }

  #dropOldest(partition: KeyPartition): void {
    const [name] = partition.entries.keys()
    if (name !== undefined) this.#drop(partition, name)
  }

  #drop(partition: KeyPartition, name: string): void {
    const entry = partition.entries.get(name)
    if (entry === undefined) return
    partition.entries.delete(name)
    partition.bytes -= entry.bytes
    this.#bytes -= entry.bytes
  }
}

function nameOf({ callId, fingerprint }: ReasoningKey): string {
  return `${callId} ${fingerprint}`
}
