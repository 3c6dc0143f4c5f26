import type { Socket } from 'node:net'
import type { Random } from '../../../src/kit/random/random.ts'
import type { Clock, Timer } from '../../../src/kit/time/clock.ts'
import { corruptBytes } from '../delivery/shape-pieces.ts'
import { type Closing, drawAmount } from '../script/position-schema.ts'
import type { DirectionScript, StreamEvent } from '../script/proxy-script-schema.ts'

export interface RelayParts {
  readonly from: Socket
  readonly to: Socket
  readonly script: DirectionScript
  readonly clock: Clock
  readonly random: Random
  onBytes(count: number): void
  /** The script ends both sides. */
  onCut(by: Exclude<Closing, 'half-close'>): void
}

type DrawnEvent = Omit<StreamEvent, 'after'> & { readonly at: number }

/** The bytes held above which the sender has to wait. */
const MAX_HELD_BYTES = 256 * 1024

/** Passes on the bytes of one direction, in order, and applies the script's faults at their byte positions. */
export class RelayDirection {
  readonly #parts: RelayParts
  readonly #events: DrawnEvent[]
  #held: Buffer[] = []
  #heldBytes = 0
  /** Bytes taken from `#held` so far. */
  #position = 0
  #timer: Timer | undefined
  #isWaiting = false
  #hasEnded = false
  #isOver = false
  #isSwallowing = false
  #corruptLeft = 0
  #dropLeft = 0
  /** Bytes that may still go in this period. */
  #allowance: number

  constructor(parts: RelayParts) {
    this.#parts = parts
    this.#allowance = parts.script.pace?.bytes ?? Number.POSITIVE_INFINITY
    this.#events = parts.script.events
      .map(({ after, ...event }) => ({ ...event, at: drawAmount(after, parts.random) }))
      .sort((left, right) => left.at - right.at)
  }

  start(): void {
    const { from } = this.#parts
    from.on('data', (bytes) => this.#hold(bytes))
    from.on('end', () => {
      this.#hasEnded = true
      this.#go()
    })
    from.resume()
    this.#go()
  }

  stop(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#held = []
  }

  #hold(bytes: Buffer): void {
    if (this.#isOver) return
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes > MAX_HELD_BYTES) this.#parts.from.pause()
    const { delay } = this.#parts.script
    if (delay === undefined || this.#isWaiting) this.#go()
    else this.#wait(delay)
  }

  #wait(ms: number): void {
    this.#isWaiting = true
    this.#timer = this.#parts.clock.startTimer(ms, () => {
      this.#isWaiting = false
      this.#allowance = this.#parts.script.pace?.bytes ?? this.#allowance
      this.#go()
    })
  }

  /** Passes on what may go now. */
  #go(): void {
    while (!this.#isWaiting && !this.#isOver) {
      const event = this.#events[0]
      if (event !== undefined && event.at <= this.#position) {
        if (event.swap !== undefined && this.#lacks(2 * event.swap)) return
        this.#events.shift()
        this.#execute(event)
        continue
      }
      if (this.#heldBytes === 0) {
        this.#endWhereDue()
        return
      }
      const { pace } = this.#parts.script
      if (this.#allowance <= 0 && pace !== undefined) this.#wait(pace.every)
      else this.#pass(Math.min(this.#allowance, (event?.at ?? Number.POSITIVE_INFINITY) - this.#position))
    }
  }

  /** Whether fewer bytes are here than needed, and more may arrive. */
  #lacks(count: number): boolean {
    return this.#heldBytes < count && !this.#hasEnded
  }

  #execute({ pause, corrupt, drop, swap, black_hole: isHole, cut }: DrawnEvent): void {
    if (corrupt !== undefined) this.#corruptLeft = corrupt
    if (drop !== undefined) this.#dropLeft = drop
    if (swap !== undefined) this.#swap(swap)
    if (isHole === true) this.#isSwallowing = true
    if (cut === 'half-close') {
      this.#parts.to.end()
      this.#isSwallowing = true
    } else if (cut !== undefined) {
      this.stop()
      this.#parts.onCut(cut)
    } else if (pause !== undefined) this.#wait(pause)
  }

  #swap(size: number): void {
    const all = Buffer.concat(this.#held)
    this.#held = [all.subarray(size, 2 * size), all.subarray(0, size), all.subarray(2 * size)].filter(
      ({ length }) => length > 0,
    )
  }

  #pass(limit: number): void {
    const [first, ...rest] = this.#held
    if (first === undefined) return
    const bytes = first.length <= limit ? first : first.subarray(0, limit)
    this.#held = bytes === first ? rest : [first.subarray(limit), ...rest]
    this.#heldBytes -= bytes.length
    this.#position += bytes.length
    this.#allowance -= bytes.length
    const sent = this.#change(bytes)
    const { from, to, onBytes } = this.#parts
    onBytes(sent.length)
    const isWritten = sent.length === 0 || !to.writable || to.write(sent)
    if (!isWritten) {
      this.#isWaiting = true
      to.once('drain', () => {
        this.#isWaiting = false
        this.#go()
      })
    }
    if (this.#heldBytes <= MAX_HELD_BYTES && from.isPaused()) from.resume()
  }

  /** The bytes as the script changes them. */
  #change(bytes: Buffer): Buffer {
    if (this.#isSwallowing) return Buffer.alloc(0)
    const passed = bytes.subarray(Math.min(bytes.length, this.#dropLeft))
    this.#dropLeft -= bytes.length - passed.length
    const count = Math.min(passed.length, this.#corruptLeft)
    this.#corruptLeft -= count
    if (count === 0) return passed
    return Buffer.concat([
      corruptBytes(passed.subarray(0, count), this.#parts.random),
      passed.subarray(count),
    ])
  }

  /** A black hole does not pass on the end either. */
  #endWhereDue(): void {
    if (!this.#hasEnded || this.#isSwallowing) return
    this.#isOver = true
    this.#parts.to.end()
  }
}
