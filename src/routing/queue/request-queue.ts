import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { QueuePolicy } from './queue-schema.ts'

/** The shortest time between two runs of the shared timer. */
const MIN_TIMER_MS = 10

export type WaitOutcome =
  /** `tryAdmit` took the slot. */
  | 'admitted'
  /** The queue is full, or keys with fewer requests in it took the room. */
  | 'full'
  /** The outcome of `tryAdmit`. */
  | 'hopeless'
  | 'timed-out'
  /** The outcome of `leave`. */
  | 'left'

/** `admitted`: the slot is taken. `hopeless`: no slot will come free in time. */
export type QueueVerdict = 'admitted' | 'wait' | 'hopeless'

export interface Waiter {
  /** The public model name. Any target that serves one request of a name serves all of them. */
  readonly publicName: string
  readonly keyId: string
  /** A time of `Clock.monotonicMs`. The queue's own limit applies too. */
  readonly deadlineAtMs: number
  /** The time at which a cooldown ends that it waits for. Undefined if only `wake` can end the wait. */
  readonly wakeAtMs?: number | undefined
  readonly tryAdmit: () => QueueVerdict
}

export interface Waiting {
  readonly outcome: Promise<WaitOutcome>
  /** Leaves the queue, such as when the caller disconnects. No effect after the outcome. */
  leave(): void
}

class Entry {
  readonly waiter: Waiter
  readonly endsAtMs: number
  readonly resolve: (outcome: WaitOutcome) => void
  /** Undefined after it was tried at that time. */
  wakeAtMs: number | undefined
  isOver = false
  constructor(waiter: Waiter, endsAtMs: number, resolve: (outcome: WaitOutcome) => void) {
    this.waiter = waiter
    this.endsAtMs = endsAtMs
    this.resolve = resolve
    this.wakeAtMs = waiter.wakeAtMs
  }
}

/** The requests for one public name: keys in the order of their turn, each with its requests in order of arrival. */
type EntriesByKey = Map<string, Entry[]>

export interface RequestQueueOptions {
  readonly policy: QueuePolicy
  readonly clock: Clock
}

/** Requests that wait for a target. Keys take turns; requests of one key keep their order. */
export class RequestQueue {
  #policy: QueuePolicy
  readonly #clock: Clock
  readonly #byName = new Map<string, EntriesByKey>()
  size = 0
  #timer: Timer | undefined
  #timerAtMs = Number.POSITIVE_INFINITY

  constructor({ policy, clock }: RequestQueueOptions) {
    this.#policy = policy
    this.#clock = clock
  }

  get waitMs(): number {
    return this.#policy.waitMs
  }

  /** Applies to requests from now on; those in the queue keep their limits. */
  setPolicy(policy: QueuePolicy): void {
    this.#policy = policy
  }

  /** The most requests that may wait at one time. */
  get capacity(): number {
    return this.#policy.size
  }

  /** Whether requests for this name wait. A new one then queues behind them. */
  hasWaiting(publicName: string): boolean {
    return this.#byName.has(publicName)
  }

  enqueue(waiter: Waiter): Waiting {
    const { promise, resolve } = Promise.withResolvers<WaitOutcome>()
    const endsAtMs = Math.min(waiter.deadlineAtMs, this.#clock.monotonicMs() + this.#policy.waitMs)
    const entry = new Entry(waiter, endsAtMs, resolve)
    if (this.size >= this.#policy.size && !this.#makeRoom(waiter.keyId)) {
      this.#finish(entry, 'full')
    } else {
      this.#add(entry)
      this.#startTimer(Math.min(endsAtMs, waiter.wakeAtMs ?? Number.POSITIVE_INFINITY))
    }
    return { outcome: promise, leave: () => this.#leave(entry) }
  }

  /** A slot came free or a target recovered: admits every request that can go now. */
  wake(): void {
    for (const name of [...this.#byName.keys()]) this.#wakeName(name)
  }

  /** Ends every wait, such as when the process ends. */
  close(): void {
    for (const entry of this.#all()) this.#remove(entry, 'timed-out')
    this.#stopTimer()
  }

  /** Admits turn by turn until one has to wait: then all others of the name have to. */
  #wakeName(name: string): void {
    for (let byKey = this.#byName.get(name); byKey !== undefined; byKey = this.#byName.get(name)) {
      const [turn] = byKey
      const entry = turn?.[1][0]
      if (turn === undefined || entry === undefined) return
      const admission = entry.waiter.tryAdmit()
      if (admission === 'wait') return
      this.#remove(entry, admission)
      const rest = byKey.get(turn[0])
      if (rest === undefined) continue
      // The key whose turn it was goes behind the others.
      byKey.delete(turn[0])
      byKey.set(turn[0], rest)
    }
  }

  #add(entry: Entry): void {
    const { publicName, keyId } = entry.waiter
    const byKey = this.#byName.get(publicName) ?? new Map<string, Entry[]>()
    const own = byKey.get(keyId) ?? []
    own.push(entry)
    byKey.set(keyId, own)
    this.#byName.set(publicName, byKey)
    this.size += 1
  }

  /** Removes the newest request of the key with the most requests, if the new one's key has fewer. */
  #makeRoom(keyId: string): boolean {
    const byKey = Map.groupBy(this.#all(), ({ waiter }) => waiter.keyId)
    const own = byKey.get(keyId)?.length ?? 0
    let longest: readonly Entry[] = []
    for (const entries of byKey.values()) if (entries.length > longest.length) longest = entries
    const newest = longest.toSorted((left, right) => left.endsAtMs - right.endsAtMs).at(-1)
    if (newest === undefined || longest.length <= own + 1) return false
    this.#remove(newest, 'full')
    return true
  }

  #leave(entry: Entry): void {
    if (!entry.isOver) this.#remove(entry, 'left')
  }

  #remove(entry: Entry, outcome: WaitOutcome): void {
    const { publicName, keyId } = entry.waiter
    const byKey = this.#byName.get(publicName)
    const own = byKey?.get(keyId)
    if (byKey === undefined || own === undefined) return
    own.splice(own.indexOf(entry), 1)
    if (own.length === 0) byKey.delete(keyId)
    if (byKey.size === 0) this.#byName.delete(publicName)
    this.size -= 1
    if (this.size === 0) this.#stopTimer()
    this.#finish(entry, outcome)
  }

  #finish(entry: Entry, outcome: WaitOutcome): void {
    entry.isOver = true
    entry.resolve(outcome)
  }

  #all(): readonly Entry[] {
    return [...this.#byName.values()].flatMap((byKey) => [...byKey.values()].flat())
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
    const nowMs = this.#clock.monotonicMs()
    const due = new Set<string>()
    for (const entry of this.#all()) {
      if (entry.wakeAtMs === undefined || entry.wakeAtMs > nowMs) continue
      entry.wakeAtMs = undefined
      due.add(entry.waiter.publicName)
    }
    for (const name of due) this.#wakeName(name)
    let nextMs = Number.POSITIVE_INFINITY
    for (const entry of this.#all()) {
      if (entry.endsAtMs <= nowMs) this.#remove(entry, 'timed-out')
      else nextMs = Math.min(nextMs, entry.endsAtMs, entry.wakeAtMs ?? nextMs)
    }
    if (this.size > 0) this.#startTimer(nextMs)
  }

  #stopTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerAtMs = Number.POSITIVE_INFINITY
  }
}
