import type { Clock, Timer } from '../../kit/time/clock.ts'
import { GuardedListener } from '../../upstream/call-handler.ts'
import type { TransportFault } from '../../upstream/transport-fault.ts'
import type { UpstreamFlow, UpstreamHeaders, UpstreamListener } from '../../upstream/upstream.ts'
import type { AnswerTurns } from '../exchange/answer-budget.ts'
import type { IntendedDurability } from './attempt-input.ts'

/** The size up to which chunks are passed on whole. */
const SLICE_BYTES = 8 * 1024
/** The time for which one answer is read before others get a turn. */
const MAX_TURN_MS = 10
/**
 * The number of waiting bytes above which an answer is not read further. Pauses are rare on purpose: with each pause,
 * the HTTP client copies everything that it has read, and reads some more.
 */
const MAX_WAITING_BYTES = 128 * 1024
/** The time for which an upstream may hold its connection open after the answer's end was seen. */
const LINGER_MS = 1_000
const LINE_FEED = 0x0a

export interface PacedListenerOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'startTimer'>
  /** The turns of the event loop, which all answers share. */
  readonly answerTurns: AnswerTurns
}

/** The intent for which a body waits. */
export interface PendingIntent extends Pick<IntendedDurability, 'hurry'> {
  readonly intend: () => Promise<void>
}

/**
 * Passes an answer to its reader, large chunks in slices. A chunk can hold thousands of events. Once they take too
 * long, the rest waits for the next turn of the event loop, and the connection is paused until then. The order does not
 * change, the end comes last, and an error that the reader throws in a later turn also ends the call.
 */
export class PacedListener implements UpstreamListener, UpstreamFlow {
  readonly #target: GuardedListener
  readonly #clock: PacedListenerOptions['clock']
  readonly #turns: AnswerTurns
  #source: UpstreamFlow | undefined
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** The end of the answer, passed on after everything that came before it. */
  #end: 'whole' | TransportFault | undefined
  #turn: Pick<Timer, 'cancel'> | undefined
  #lingerTimer: Timer | undefined
  #beginWait: (() => void) | undefined
  /** Called when the first part of a body has to wait. */
  #hurry: (() => void) | undefined
  #isPaused = false
  #isRunning = false
  /** Whether the source is paused by this listener, and not by the reader. */
  #isHolding = false
  #isOver = false

  constructor(listener: UpstreamListener, { clock, answerTurns }: PacedListenerOptions) {
    this.#target = new GuardedListener(listener, this)
    this.#clock = clock
    this.#turns = answerTurns
  }

  /** Sets the call that this listener reads. */
  attach(source: UpstreamFlow): this {
    this.#source = source
    if (this.#isOver) source.abort()
    else if (this.#isHolding) source.pause()
    return this
  }

  /**
   * Passes on no part of the body until the intent is durable. The intent starts once the request is sent, so that it
   * does not delay the request. In the meantime, the connection is read up to `MAX_WAITING_BYTES`.
   */
  waitFor({ intend, hurry }: PendingIntent, onFailed: (error: unknown) => void): void {
    this.#isPaused = true
    this.#beginWait = () => {
      this.#beginWait = undefined
      this.#hurry = hurry
      intend().then(() => {
        this.#hurry = undefined
        if (!this.#isOver) this.resume()
      }, onFailed)
    }
  }

  onSent(): void {
    this.#beginWait?.()
    this.#target.onSent()
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    // An answer may begin before its request is sent completely.
    this.#beginWait?.()
    this.#target.onHead(status, headers)
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return
    if (chunk.length <= SLICE_BYTES && this.#waiting.length === 0 && !this.#isPaused) {
      this.#target.onData(chunk)
      return
    }
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    this.#hurryOnce()
    this.#run()
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#hold()
  }

  onEnd(): void {
    this.#finish('whole')
  }

  onFault(fault: TransportFault): void {
    this.#finish(fault)
  }

  pause(): void {
    this.#isPaused = true
    this.#hold()
  }

  resume(): void {
    this.#isPaused = false
    if (this.#waiting.length > 0 || this.#end !== undefined) this.#run()
    else this.#release()
  }

  abort(): void {
    this.#isOver = true
    this.#turn?.cancel()
    this.#waiting = []
    this.#waitingBytes = 0
    this.#end = undefined
    this.#source?.abort()
  }

  /** Stops reading the answer. Its connection can be used again if the upstream ends the answer soon. */
  linger(): void {
    if (this.#end === undefined) this.#lingerTimer = this.#clock.startTimer(LINGER_MS, () => this.abort())
  }

  #finish(end: 'whole' | TransportFault): void {
    this.#lingerTimer?.cancel()
    if (this.#isOver) return
    // A call that failed before its request was sent has nothing to wait for.
    if (this.#beginWait !== undefined) this.#isPaused = false
    this.#beginWait = undefined
    this.#end = end
    this.#hurryOnce()
    this.#run()
  }

  #hurryOnce(): void {
    this.#hurry?.()
    this.#hurry = undefined
  }

  #run(): void {
    if (this.#isRunning || this.#turn !== undefined || this.#isPaused) return
    if (this.#turns.isFree) this.#turns.run(() => this.#runInTurn())
    else this.#waitForTurn()
  }

  #hold(): void {
    if (this.#isHolding || this.#isOver) return
    this.#isHolding = true
    this.#source?.pause()
  }

  #release(): void {
    if (!this.#isHolding) return
    this.#isHolding = false
    this.#source?.resume()
  }

  #waitForTurn(): void {
    this.#turn = this.#turns.wait(() => {
      this.#turn = undefined
      if (!this.#isPaused) this.#runInTurn()
    })
  }

  #runInTurn(): void {
    this.#isRunning = true
    const untilMs = this.#clock.monotonicMs() + MAX_TURN_MS
    const isThrough = this.#handOn(untilMs)
    this.#isRunning = false
    if (this.#isOver || this.#isPaused) return
    if (!isThrough) {
      this.#waitForTurn()
      return
    }
    const end = this.#end
    this.#end = undefined
    if (end === 'whole') this.#target.onEnd()
    else if (end !== undefined) this.#target.onFault(end)
    else this.#release()
  }

  /** Returns false if the turn ended before everything was passed on. */
  #handOn(untilMs: number): boolean {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#isPaused || this.#isOver) return true
      if (this.#clock.monotonicMs() > untilMs) return false
      const slice = sliceOf(next)
      if (slice.length === next.length) this.#waiting.shift()
      else this.#waiting[0] = next.subarray(slice.length)
      this.#waitingBytes -= slice.length
      this.#target.onData(slice)
    }
    return true
  }
}

/** Cuts a chunk after the last line that fits, so that few events are cut. */
function sliceOf(chunk: Buffer): Buffer {
  if (chunk.length <= SLICE_BYTES) return chunk
  const lineFeed = chunk.lastIndexOf(LINE_FEED, SLICE_BYTES - 1)
  return chunk.subarray(0, lineFeed === -1 ? SLICE_BYTES : lineFeed + 1)
}
