import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { GatewayError } from '../../canonical/failure.ts'
import { closeWhenStalled } from '../../kit/net/close-when-stalled.ts'
import type { Clock, ReportFault, Timer } from '../../kit/time/clock.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { BodyBudget, BodyHold } from '../body/body-budget.ts'
import type { CallerSocket, RetireReason, SocketHandler } from './socket-handler.ts'

/** OpenAI ends connections after as long (https://developers.openai.com/api/docs/guides/websocket-mode, 2026-11-24). */
const LIFETIME_MS = HOUR_MS
const PING_EVERY_MS = 30_000
/** A caller of whom nothing comes for so long after a ping is gone. */
const PONG_MS = 30_000
/** A caller that takes nothing of what waits for it is gone after once to twice as long. */
const STALLED_MS = 30_000
/** The time that the other side gets to answer a close frame. */
const CLOSE_GRACE_MS = 2_000

/** Close codes of RFC 6455 §7.4.1. */
const GOING_AWAY = 1001
const UNSUPPORTED_DATA = 1003
const INTERNAL_ERROR = 1011
const TRY_AGAIN_LATER = 1013

const reasons: Readonly<Record<RetireReason, string>> = {
  draining: 'the gateway is shutting down; connect again',
  lifetime: 'the connection is 60 minutes old; connect again',
}

export interface ConnectionOptions {
  readonly webSocket: WebSocket
  readonly socket: Socket
  readonly keyId: string
  readonly clock: Clock
  readonly bodies: BodyBudget
  readonly reportFault: ReportFault
  /** The time without traffic after which it is closed, read whenever it is judged. */
  readonly idleMs: () => number
}

/**
 * One caller's WebSocket: bounded in what it holds, and in its time. While the caller does not read, nothing more is
 * read from it either, so that no answer to its frames can pile up.
 */
export class SocketConnection implements CallerSocket {
  readonly #options: ConnectionOptions
  readonly #openedAtMs: number
  #handler: SocketHandler | undefined
  #lastFrameAtMs: number
  #lastBytesAtMs: number
  #pingedAtMs: number
  /** The bytes of frames that are not whole yet. */
  #incoming = 0
  #hold: BodyHold
  #retired: RetireReason | undefined
  #isClosing = false
  #closeTimer: Timer | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#hold = options.bodies.open(options.keyId)
    const nowMs = options.clock.monotonicMs()
    this.#openedAtMs = nowMs
    this.#lastFrameAtMs = nowMs
    this.#lastBytesAtMs = nowMs
    this.#pingedAtMs = nowMs
  }

  get keyId(): string {
    return this.#options.keyId
  }

  /** Whether what was sent waits for its reader. */
  get isSlow(): boolean {
    return this.#options.socket.writableNeedDrain
  }

  /** Begins to take frames. `onClose` is called once at the end. */
  serve(handler: SocketHandler, onClose: () => void): void {
    this.#handler = handler
    const { webSocket, socket } = this.#options
    webSocket.on('error', () => undefined)
    webSocket.on('message', (data: Buffer, isBinary: boolean) =>
      this.#guard(() => this.#receiveFrame(data, isBinary)),
    )
    webSocket.on('ping', (data: Buffer) => this.#guard(() => this.#pong(data)))
    webSocket.on('close', () => this.#guard(() => this.#leave(onClose)))
    socket.prependListener('data', (chunk: Buffer) => this.#guard(() => this.#count(chunk.length)))
    socket.on('drain', () => this.#guard(() => this.#drained()))
    socket.on('timeout', () => webSocket.terminate())
  }

  /** Sends a text frame. False where the caller reads slower than we write: the handler hears of the end of that. */
  send(text: string): boolean {
    const { webSocket, socket } = this.#options
    if (webSocket.readyState !== webSocket.OPEN) return true
    this.#gather()
    webSocket.send(text)
    if (!this.isSlow) return true
    closeWhenStalled(socket, STALLED_MS)
    return false
  }

  /** Frames that one chunk of a provider brings leave in one write: a write costs more than all else of a frame. */
  #gather(): void {
    const { socket } = this.#options
    if (socket.writableCorked > 0) return
    socket.cork()
    process.nextTick(() => socket.uncork())
  }

  /** Takes no more requests; what is under way ends first. */
  retire(reason: RetireReason): void {
    if (this.#retired !== undefined) return
    this.#retired = reason
    this.#handler?.retire(reason)
    this.settle()
  }

  get retired(): RetireReason | undefined {
    return this.#retired
  }

  /** Called when a request has ended: reads on, or closes where this was the last one. */
  settle(): void {
    this.#lastFrameAtMs = this.#options.clock.monotonicMs()
    if (this.#retired !== undefined && this.#handler?.isIdle === true)
      this.close(GOING_AWAY, reasons[this.#retired])
    else this.#readAsFits()
  }

  readOn(): void {
    this.#readAsFits()
  }

  /** Judges its times. */
  look(nowMs: number): void {
    const { idleMs } = this.#options
    if (this.#isClosing) return
    if (nowMs - this.#openedAtMs >= LIFETIME_MS) this.retire('lifetime')
    const isIdle = this.#handler?.isIdle === true
    if (isIdle && nowMs - this.#lastFrameAtMs >= idleMs()) {
      this.close(GOING_AWAY, 'nothing was asked for too long')
      return
    }
    this.#ping(nowMs)
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#isClosing = true
    const { webSocket, clock } = this.#options
    // The other side's close frame must be read.
    webSocket.resume()
    webSocket.close(code, reason)
    this.#closeTimer = clock.startTimer(CLOSE_GRACE_MS, () => webSocket.terminate())
  }

  terminate(): void {
    this.#options.webSocket.terminate()
  }

  #ping(nowMs: number): void {
    const { webSocket } = this.#options
    // What a paused connection has sent is not read, and so says nothing of its other end.
    if (webSocket.isPaused || this.isSlow) return
    const isAnswered = this.#lastBytesAtMs >= this.#pingedAtMs
    if (!isAnswered && nowMs - this.#pingedAtMs >= PONG_MS) webSocket.terminate()
    if (!isAnswered || nowMs - this.#pingedAtMs < PING_EVERY_MS) return
    this.#pingedAtMs = nowMs
    webSocket.ping()
  }

  #receiveFrame(data: Buffer, isBinary: boolean): void {
    const { clock, bodies, keyId } = this.#options
    this.#lastFrameAtMs = clock.monotonicMs()
    this.#incoming = Math.max(0, this.#incoming - data.length)
    this.#hold.release()
    this.#hold = bodies.open(keyId)
    this.#hold.grow(this.#incoming)
    if (this.#isClosing) return
    if (isBinary) {
      this.close(UNSUPPORTED_DATA, 'events are text frames')
      return
    }
    this.#handler?.receive(data)
    this.#readAsFits()
  }

  /** Counts bytes before the frame is whole, as those of request bodies. */
  #count(bytes: number): void {
    this.#lastBytesAtMs = this.#options.clock.monotonicMs()
    this.#incoming += bytes
    if (this.#isClosing || this.#hold.grow(bytes) === undefined) return
    this.#handler?.refuse(new GatewayError('bodies_over_capacity'))
    this.close(TRY_AGAIN_LATER, 'the requests under way hold as many bytes as this gateway takes')
  }

  #pong(data: Buffer): void {
    const { webSocket } = this.#options
    if (webSocket.readyState === webSocket.OPEN) webSocket.pong(data)
    this.#readAsFits()
  }

  #drained(): void {
    closeWhenStalled(this.#options.socket, undefined)
    this.#handler?.drained()
    this.#readAsFits()
  }

  #readAsFits(): void {
    const { webSocket } = this.#options
    if (this.#isClosing) return
    const waits = this.isSlow || this.#handler?.isFull === true
    if (waits === webSocket.isPaused) return
    this.#lastBytesAtMs = this.#options.clock.monotonicMs()
    if (waits) webSocket.pause()
    else webSocket.resume()
  }

  #leave(onClose: () => void): void {
    this.#isClosing = true
    this.#closeTimer?.cancel()
    this.#hold.release()
    this.#handler?.leave()
    onClose()
  }

  /** Node would end the process with an error that a listener of a socket throws. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.reportFault('a WebSocket connection', error)
      this.close(INTERNAL_ERROR, 'something in the gateway failed')
    }
  }
}
