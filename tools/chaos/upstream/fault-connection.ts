import type { Socket } from 'node:net'
import type { Clock, Timer } from '../../../src/kit/time/clock.ts'
import type { AfterAnswer, DeliveryStep } from '../delivery/delivery.ts'
import { type Playback, type PlaybackEnd, playDelivery } from '../delivery/play-delivery.ts'
import type { RequestHead } from '../script/fault-call.ts'
import { closeSocket, resetSocket } from '../socket/close-socket.ts'
import { type ReadStep, RequestReader } from './request-reader.ts'
import type { RequestRecord } from './upstream-traffic.ts'

/** The parts of its upstream that a connection needs. */
export interface ConnectionOwner {
  readonly clock: Clock
  /** Counts the request. */
  open(head: RequestHead): RequestRecord
  /** The answer to a request. Without a body, only if the answer does not wait for it. */
  answer(record: RequestRecord, body: Buffer | undefined): readonly DeliveryStep[] | undefined
  elapsedMs(): number
  received(bytes: number): void
  sent(bytes: number): void
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

/** One connection of a caller, whose requests are answered in order. A caller that ends its side has disconnected. */
export class FaultConnection {
  readonly #socket: Socket
  readonly #owner: ConnectionOwner
  readonly #idleCloseMs: number | undefined
  readonly #reader = new RequestReader()
  #record: RequestRecord | undefined
  #playback: Playback | undefined
  #after: AfterAnswer = 'keep'
  #idle: Timer | undefined

  constructor(socket: Socket, owner: ConnectionOwner, idleCloseMs: number | undefined) {
    this.#socket = socket
    this.#owner = owner
    this.#idleCloseMs = idleCloseMs
  }

  start(): void {
    const socket = this.#socket
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('end', () => this.#leave())
    socket.on('close', () => this.#leave())
    // A caller may reset at any time; the close that follows is enough.
    socket.on('error', () => socket.destroy())
    socket.resume()
  }

  #read(bytes: Buffer): void {
    this.#owner.received(bytes.length)
    this.#idle?.cancel()
    if (this.#closesOnNext()) return
    this.#reader.push(bytes)
    this.#readOn()
  }

  /** The race of a reused connection: it closes just as the next request arrives. */
  #closesOnNext(): boolean {
    if (this.#playback !== undefined) return false
    if (this.#after === 'close-on-next') closeSocket(this.#socket, 'fin')
    if (this.#after === 'reset-on-next') resetSocket(this.#socket)
    return this.#after === 'close-on-next' || this.#after === 'reset-on-next'
  }

  /** Bytes that arrive during an answer wait for its end. */
  #readOn(): void {
    while (this.#playback === undefined && !this.#socket.destroyed) {
      const step = this.#reader.next()
      if (step === undefined) return
      this.#see(step)
    }
  }

  #see(step: ReadStep): void {
    if (step.type === 'bad') {
      this.#socket.end(BAD_REQUEST)
      return
    }
    if (step.type === 'head') this.#record = this.#owner.open(step.head)
    const record = this.#record
    if (record === undefined) return
    const answer = this.#owner.answer(record, step.type === 'head' ? undefined : step.body)
    if (answer !== undefined) this.#play(record, answer)
    else if (record.headers.get('expect')?.toLowerCase() === '100-continue') this.#socket.write(CONTINUE)
  }

  #play(record: RequestRecord, steps: readonly DeliveryStep[]): void {
    // Set before the first step, which may also be the last.
    this.#playback = idlePlayback
    let isOver = false
    const playback = playDelivery(steps, {
      socket: this.#socket,
      clock: this.#owner.clock,
      onSent: (bytes) => {
        record.bytesSent += bytes
        this.#owner.sent(bytes)
      },
      onEnd: (end) => {
        isOver = true
        this.#finish(record, end)
      },
    })
    if (!isOver) this.#playback = playback
  }

  #finish(record: RequestRecord, { outcome, after }: PlaybackEnd): void {
    record.end(outcome, this.#owner.elapsedMs())
    if (outcome === 'cut') return
    this.#playback = undefined
    this.#record = undefined
    this.#after = after
    if (after === 'close') closeSocket(this.#socket, 'fin')
    else if (this.#reader.heldBytes > 0) this.#readOn()
    if (this.#idleCloseMs === undefined) return
    this.#idle = this.#owner.clock.startTimer(this.#idleCloseMs, () => closeSocket(this.#socket, 'fin'))
  }

  #leave(): void {
    this.#idle?.cancel()
    this.#playback?.stop()
    this.#record?.end('aborted', this.#owner.elapsedMs())
    if (!this.#socket.writableEnded) this.#socket.destroy()
  }
}

const idlePlayback: Playback = {
  stop() {
    // Nothing is playing yet.
  },
}
