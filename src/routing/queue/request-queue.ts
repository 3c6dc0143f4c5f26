import { findLargestShare } from '../../kit/collections/find-largest-share.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { QueuePolicy } from './queue-schema.ts'

/** The shortest time between two runs of the shared timer. */
const MIN_TIMER_MS = 10

export type WaitOutcome =
  /** `tryAdmit` took the slot. */
  | 'admitted'
  /** The queue is full, or its room went to keys with fewer requests in it. */
  | 'full'
  /** `tryAdmit` returned `hopeless`. */
  | 'hopeless'
  | 'timed-out'
  /** `leave` was called. */
  | 'left'

/**
 * The result of an attempt to admit a request. `admitted`: the slot is taken. `wait`: the request stays in the queue.
 * `hopeless`: no slot will be free in time.
 */
export type QueueVerdict = 'admitted' | 'wait' | 'hopeless'

export interface Waiter {
  /** Names the targets that may serve the request. A target that serves one request of a group serves all of it. */
  readonly group: string
  readonly keyId: string
  /** The time of `Clock.monotonicMs` at which the wait ends. The queue's own limit applies, too. */
  readonly deadlineAtMs: number
  /**
   * The end of the cooldown for which the group waits, as of the last attempt to admit the request. Undefined if only
   * `wake` can end the wait.
   */
  readonly wakeAtMs?: number | undefined
  readonly tryAdmit: () => QueueVerdict
}

export interface Waiting {
  readonly outcome: Promise<WaitOutcome>
  /** Leaves the queue, for example when the caller disconnects. It has no effect after the outcome. */
  leave(): void
}

class Entry {
  readonly waiter: Waiter
  readonly endsAtMs: number
  /** The number of the request in the order of arrival, among all groups. */
  arrival = 0
  readonly resolve: (outcome: WaitOutcome) => void
  isOver = false
  constructor(waiter: Waiter, endsAtMs: number, resolve: (outcome: WaitOutcome) => void) {
    this.waiter = waiter
    this.endsAtMs = endsAtMs
    this.resolve = resolve
  }
}

/** The requests of one group. Keys are in the order of their turns, each with its requests in order of arrival. */
type EntriesByKey = Map<string, Entry[]>

export interface RequestQueueOptions {
  readonly policy: QueuePolicy
  readonly clock: Clock
}

/** Requests that wait for a target. Keys take turns; requests of one key keep their order. */
export class RequestQueue {
  #policy: QueuePolicy
  readonly #clock: Clock
  readonly #byGroup = new Map<string, EntriesByKey>()
  /** The time of the next attempt to admit requests of a group. */
  readonly #wakeAtMs = new Map<string, number>()
  size = 0
  #arrivals = 0
  #timer: Timer | undefined
  #timerAtMs = Number.POSITIVE_INFINITY

  constructor({ policy, clock }: RequestQueueOptions) {
    this.#policy = policy
    this.#clock = clock
  }

  get waitMs(): number {
    return this.#policy.waitMs
  }

  /** Changes the policy for new requests. Requests in the queue keep their limits. */
  setPolicy(policy: QueuePolicy): void {
    this.#policy = policy
  }

  /** The maximum number of waiting requests. */
  get capacity(): number {
    return this.#policy.size
  }

  /** Whether requests of this group wait. A new request then waits after them. */
  hasWaiting(group: string): boolean {
    return this.#byGroup.has(group)
  }

  enqueue(waiter: Waiter): Waiting {
    const { promise, resolve } = Promise.withResolvers<WaitOutcome>()
    const endsAtMs = Math.min(waiter.deadlineAtMs, this.#clock.monotonicMs() + this.#policy.waitMs)
    const entry = new Entry(waiter, endsAtMs, resolve)
    if (this.size >= this.#policy.size && !this.#makeRoom(waiter.keyId)) {
      this.#finish(entry, 'full')
    } else {
      this.#add(entry)
      this.#wakeGroupAt(waiter)
      this.#startTimer(endsAtMs)
    }
    return { outcome: promise, leave: () => this.#leave(entry) }
  }

  /** Admits every request that can continue, after a slot became free or a target recovered. */
  wake(): void {
    for (const group of [...this.#byGroup.keys()]) this.#wakeGroup(group)
  }

  /** Ends every wait, for example when the process ends. */
  close(): void {
    for (const entry of this.#all()) this.#remove(entry, 'timed-out')
    this.#stopTimer()
  }

  /**
   * Admits requests of a group, turn by turn, until one has to wait. All others of the group then have to wait, too.
   */
  #wakeGroup(group: string): void {
    for (let byKey = this.#byGroup.get(group); byKey !== undefined; byKey = this.#byGroup.get(group)) {
      const [turn] = byKey
      const entry = turn?.[1][0]
      if (turn === undefined || entry === undefined) return
      const admission = entry.waiter.tryAdmit()
      if (admission === 'wait') {
        this.#wakeGroupAt(entry.waiter)
        return
      }
      this.#remove(entry, admission)
      // The key whose turn it was moves to the end, and so does the group, since groups may share slots.
      moveToEnd(byKey, turn[0])
      moveToEnd(this.#byGroup, group)
    }
  }

  /** Plans the next attempt for the end of the cooldown, which may have become longer. */
  #wakeGroupAt({ group, wakeAtMs }: Waiter): void {
    if (wakeAtMs === undefined) return
    this.#wakeAtMs.set(group, wakeAtMs)
    this.#startTimer(wakeAtMs)
  }

  #add(entry: Entry): void {
    const { group, keyId } = entry.waiter
    this.#arrivals += 1
    entry.arrival = this.#arrivals
    const byKey = this.#byGroup.get(group) ?? new Map<string, Entry[]>()
    const queued = byKey.get(keyId) ?? []
    queued.push(entry)
    byKey.set(keyId, queued)
    this.#byGroup.set(group, byKey)
    this.size += 1
  }

  /** Removes the newest request of the key with the most requests, if the new request's key has fewer. */
  #makeRoom(keyId: string): boolean {
    const share = findLargestShare(this.#all(), ({ waiter }) => waiter.keyId, keyId)
    const newest = share?.toSorted((left, right) => left.arrival - right.arrival).at(-1)
    if (newest === undefined) return false
    this.#remove(newest, 'full')
    return true
  }

  #leave(entry: Entry): void {
    if (!entry.isOver) this.#remove(entry, 'left')
  }

  #remove(entry: Entry, outcome: WaitOutcome): void {
    const { group, keyId } = entry.waiter
    const byKey = this.#byGroup.get(group)
    const queued = byKey?.get(keyId)
    if (byKey === undefined || queued === undefined) return
    queued.splice(queued.indexOf(entry), 1)
    if (queued.length === 0) byKey.delete(keyId)
    if (byKey.size === 0) {
      this.#byGroup.delete(group)
      this.#wakeAtMs.delete(group)
    }
    this.size -= 1
    if (this.size === 0) this.#stopTimer()
    this.#finish(entry, outcome)
  }

  #finish(entry: Entry, outcome: WaitOutcome): void {
    entry.isOver = true
    entry.resolve(outcome)
  }

  #all(): readonly Entry[] {
    return [...this.#byGroup.values()].flatMap((byKey) => [...byKey.values()].flat())
  }

  #startTimer(atMs: number): void {
    if (atMs >= this.#timerAtMs) return
    this.#timer?.cancel()
    this.#timerAtMs = atMs
    const delayMs = Math.max(MIN_TIMER_MS, atMs - this.#clock.monotonicMs())
    this.#timer = this.#clock.startTimer(delayMs, () => this.#onTimer())
  }

  #onTimer(): void {
    this.#stopTimer()
    const monotonicMs = this.#clock.monotonicMs()
    for (const [group, wakeAtMs] of [...this.#wakeAtMs]) {
      if (wakeAtMs > monotonicMs) continue
      this.#wakeAtMs.delete(group)
      this.#wakeGroup(group)
    }
    let nextMs = Math.min(...this.#wakeAtMs.values())
    for (const entry of this.#all()) {
      if (entry.endsAtMs <= monotonicMs) this.#remove(entry, 'timed-out')
      else nextMs = Math.min(nextMs, entry.endsAtMs)
    }
    if (this.size > 0) this.#startTimer(nextMs)
  }

  #stopTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerAtMs = Number.POSITIVE_INFINITY
  }
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}
