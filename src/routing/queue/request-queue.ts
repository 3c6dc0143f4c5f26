import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { QueuePolicy } from './queue-schema.ts'

/** The shared timer looks no more often than this. */
const LEAST_LOOK_MS = 10

export type WaitOutcome =
  /** `tryGo` took what it needs. */
  | 'admitted'
  /** The line is full, or was filled by keys that have less in it. */
  | 'full'
  /** By `tryGo`. */
  | 'hopeless'
  | 'timed-out'
  /** By `leave`. */
  | 'left'

/** `go`: it has taken what it needs before it returns. `hopeless`: what it waits for will not come in time. */
export type Turn = 'go' | 'wait' | 'hopeless'

export interface Waiter {
  /** What it waits for, such as the public name: those of one place can go where any of them can. */
  readonly place: string
  readonly keyId: string
  /** Of the clock that never goes back; the line's own limit counts besides. */
  readonly deadlineAtMs: number
  /** When what it waits for ends by itself; undefined where only `wake` tells. */
  readonly wakeAtMs?: number | undefined
  /** Whether it can go now. */
  readonly tryAdmit: () => Turn
}

export interface Waiting {
  readonly outcome: Promise<WaitOutcome>
  /** Gives up the place, such as when the caller leaves; nothing happens once there is an outcome. */
  leave(): void
}

class Entry {
  readonly waiter: Waiter
  readonly endsAtMs: number
  readonly settle: (outcome: WaitOutcome) => void
  /** Undefined once it was asked at that time. */
  wakeAtMs: number | undefined
  isOver = false
  constructor(waiter: Waiter, endsAtMs: number, settle: (outcome: WaitOutcome) => void) {
    this.waiter = waiter
    this.endsAtMs = endsAtMs
    this.settle = settle
    this.wakeAtMs = waiter.wakeAtMs
  }
}

/** Keys in the order of their turn, each with its own in the order they came. */
type Place = Map<string, Entry[]>

export interface WaitingLineParts {
  readonly policy: QueuePolicy
  readonly clock: Clock
}

/** Requests that wait for something to become free. Keys take turns, inside one the first goes first. */
export class RequestQueue {
  #policy: QueuePolicy
  readonly #clock: Clock
  readonly #places = new Map<string, Place>()
  #size = 0
  #timer: Timer | undefined
  #timerAtMs = Number.POSITIVE_INFINITY

  constructor({ policy, clock }: WaitingLineParts) {
    this.#policy = policy
    this.#clock = clock
  }

  /** The longest that one waits. */
  get waitMs(): number {
    return this.#policy.waitMs
  }

  /** Counts for those who come from now on; those in the line stay as they are. */
  change(policy: QueuePolicy): void {
    this.#policy = policy
  }

  /** Requests that may wait at one time. */
  get places(): number {
    return this.#policy.size
  }

  get size(): number {
    return this.#size
  }

  /** Whoever comes while others wait for the same has to go behind them. */
  hasWaiting(place: string): boolean {
    return this.#places.has(place)
  }

  enter(waiter: Waiter): Waiting {
    const { promise, resolve } = Promise.withResolvers<WaitOutcome>()
    const endsAtMs = Math.min(waiter.deadlineAtMs, this.#clock.monotonicMs() + this.#policy.waitMs)
    const entry = new Entry(waiter, endsAtMs, resolve)
    if (this.#size >= this.#policy.size && !this.#makeRoom(waiter.keyId)) {
      this.#finish(entry, 'full')
    } else {
      this.#add(entry)
      this.#watch(Math.min(endsAtMs, waiter.wakeAtMs ?? Number.POSITIVE_INFINITY))
    }
    return { outcome: promise, leave: () => this.#leave(entry) }
  }

  /** Something became free or well: whoever can go now goes. */
  wake(): void {
    for (const place of [...this.#places.keys()]) this.#wakePlace(place)
  }

  /** Nobody is to wait any longer, such as when the process ends. */
  close(): void {
    for (const entry of this.#all()) this.#remove(entry, 'timed-out')
    this.#stopTimer()
  }

  /** Turn by turn, until one cannot: then no other of the place can. */
  #wakePlace(name: string): void {
    for (let place = this.#places.get(name); place !== undefined; place = this.#places.get(name)) {
      const [turn] = place
      const entry = turn?.[1][0]
      if (turn === undefined || entry === undefined) return
      const next = entry.waiter.tryAdmit()
      if (next === 'wait') return
      this.#remove(entry, next === 'go' ? 'admitted' : 'hopeless')
      const rest = place.get(turn[0])
      if (rest === undefined) continue
      // Behind the other keys.
      place.delete(turn[0])
      place.set(turn[0], rest)
    }
  }

  #add(entry: Entry): void {
    const { place: name, keyId } = entry.waiter
    const place = this.#places.get(name) ?? new Map<string, Entry[]>()
    const own = place.get(keyId) ?? []
    own.push(entry)
    place.set(keyId, own)
    this.#places.set(name, place)
    this.#size += 1
  }

  /** The key that has most in the line loses its newest to one that has less. */
  #makeRoom(keyId: string): boolean {
    const byKey = Map.groupBy(this.#all(), ({ waiter }) => waiter.keyId)
    const own = byKey.get(keyId)?.length ?? 0
    let most: readonly Entry[] = []
    for (const entries of byKey.values()) if (entries.length > most.length) most = entries
    const newest = most.toSorted((left, right) => left.endsAtMs - right.endsAtMs).at(-1)
    if (newest === undefined || most.length <= own + 1) return false
    this.#remove(newest, 'full')
    return true
  }

  #leave(entry: Entry): void {
    if (!entry.isOver) this.#remove(entry, 'left')
  }

  #remove(entry: Entry, outcome: WaitOutcome): void {
    const { place: name, keyId } = entry.waiter
    const place = this.#places.get(name)
    const own = place?.get(keyId)
    if (place === undefined || own === undefined) return
    own.splice(own.indexOf(entry), 1)
    if (own.length === 0) place.delete(keyId)
    if (place.size === 0) this.#places.delete(name)
    this.#size -= 1
    if (this.#size === 0) this.#stopTimer()
    this.#finish(entry, outcome)
  }

  #finish(entry: Entry, outcome: WaitOutcome): void {
    entry.isOver = true
    entry.settle(outcome)
  }

  #all(): readonly Entry[] {
    return [...this.#places.values()].flatMap((place) => [...place.values()].flat())
  }

  #watch(atMs: number): void {
    if (atMs >= this.#timerAtMs) return
    this.#timer?.cancel()
    this.#timerAtMs = atMs
    const delayMs = Math.max(LEAST_LOOK_MS, atMs - this.#clock.monotonicMs())
    this.#timer = this.#clock.startTimer(delayMs, () => this.#look())
  }

  #look(): void {
    this.#stopTimer()
    const nowMs = this.#clock.monotonicMs()
    const due = new Set<string>()
    for (const entry of this.#all()) {
      if (entry.wakeAtMs === undefined || entry.wakeAtMs > nowMs) continue
      entry.wakeAtMs = undefined
      due.add(entry.waiter.place)
    }
    for (const place of due) this.#wakePlace(place)
    let nextMs = Number.POSITIVE_INFINITY
    for (const entry of this.#all()) {
      if (entry.endsAtMs <= nowMs) this.#remove(entry, 'timed-out')
      else nextMs = Math.min(nextMs, entry.endsAtMs, entry.wakeAtMs ?? nextMs)
    }
    if (this.#size > 0) this.#watch(nextMs)
  }

  #stopTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerAtMs = Number.POSITIVE_INFINITY
  }
}
