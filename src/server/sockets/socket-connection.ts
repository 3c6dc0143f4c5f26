import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { GatewayError } from '../../canonical/failure.ts'
import { closeWhenStalled } from '../../kit/net/close-when-stalled.ts'
import type { Clock, ReportFault, Timer } from '../../kit/time/clock.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { BodyBudget, BodyHold } from '../body/body-budget.ts'
import type { CallerSocket, RetireReason, SocketHandler } from './socket-handler.ts'

/**
 * OpenAI closes connections after the same time (https://developers.openai.com/api/docs/guides/websocket-mode,
 * 2026-11-24).
 */
const LIFETIME_MS = HOUR_MS
const PING_EVERY_MS = 30_000
/** A caller that sends nothing for this long after a ping is considered disconnected. */
const PONG_MS = 30_000
/** A caller that reads nothing of the waiting bytes is disconnected after one to two times this. */
const STALLED_MS = 30_000
/** The time in which the other side can answer a close frame. */
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
  /** The time without traffic after which the connection is closed. It is read at each check. */
  readonly idleMs: () => number
}

/**
 * A caller's WebSocket, with limits on its memory and its time. While the caller does not read, the gateway does not
 * read from the caller either, so that answers to its frames cannot pile up.
 */
export class SocketConnection implements CallerSocket {
  readonly #options: ConnectionOptions
  readonly #openedAtMs: number
  #handler: SocketHandler | undefined
  #lastFrameAtMs: number
  #lastBytesAtMs: number
  #pingedAtMs: number
  /** The bytes of incomplete frames. */
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

  /** Whether sent bytes wait because the caller reads slowly. */
  get isSlow(): boolean {
    return this.#options.socket.writableNeedDrain
  }

  /** Starts to receive frames. `onClose` is called once at the end. */
  serve(handler: SocketHandler, onClose: () => void): void {
    this.#handler = handler
    const { webSocket, socket } = this.#options
    webSocket.on('error', () => undefined)
    webSocket.on('message', (data: Buffer, isBinary: boolean) =>
      this.#guard(() => this.#receiveFrame(data, isBinary)),
    )
    webSocket.on('ping', (data: Buffer) => this.#guard(() => this.#pong(data)))
    webSocket.on('pong', (data: Buffer) => this.#guard(() => this.#completeFrame(data.length)))
    webSocket.on('close', () => this.#guard(() => this.#leave(onClose)))
    socket.prependListener('data', (chunk: Buffer) => this.#guard(() => this.#count(chunk.length)))
    socket.on('drain', () => this.#guard(() => this.#drained()))
    socket.on('timeout', () => webSocket.terminate())
  }

  /**
   * Sends a text frame. Returns false if the caller reads more slowly than the gateway writes. The handler is notified
   * when the caller has read.
   */
  send(text: string): boolean {
    const { webSocket, socket } = this.#options
    if (webSocket.readyState !== webSocket.OPEN) return true
    this.#gather()
    webSocket.send(text)
    if (!this.isSlow) return true
    closeWhenStalled(socket, STALLED_MS)
    return false
  }

  /**
   * Collects the frames from one chunk of a provider into one write, since a write costs more than everything else for
   * a frame.
   */
  #gather(): void {
    const { socket } = this.#options
    if (socket.writableCorked > 0) return
    socket.cork()
    process.nextTick(() => socket.uncork())
  }

  /** Accepts no more requests. Requests in progress end first. */
  retire(reason: RetireReason): void {
    if (this.#retired !== undefined) return
    this.#retired = reason
    this.#handler?.retire(reason)
    this.settle()
  }

  get retired(): RetireReason | undefined {
    return this.#retired
  }

  /** Called when a request has ended. Resumes reading, or closes the connection after the last request. */
  settle(): void {
    this.#lastFrameAtMs = this.#options.clock.monotonicMs()
    if (this.#retired !== undefined && this.#handler?.isIdle === true)
      this.close(GOING_AWAY, reasons[this.#retired])
    else this.#readAsFits()
  }

  readOn(): void {
    this.#readAsFits()
  }

  /** Checks the lifetime, the idle time and the ping. */
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
    // Bytes on a paused connection are not read, so their absence does not show that the other side is gone.
    if (webSocket.isPaused || this.isSlow) return
    const isAnswered = this.#lastBytesAtMs >= this.#pingedAtMs
    if (!isAnswered && nowMs - this.#pingedAtMs >= PONG_MS) webSocket.terminate()
    if (!isAnswered || nowMs - this.#pingedAtMs < PING_EVERY_MS) return
    this.#pingedAtMs = nowMs
    webSocket.ping()
  }

  #receiveFrame(data: Buffer, isBinary: boolean): void {
    this.#lastFrameAtMs = this.#options.clock.monotonicMs()
    this.#completeFrame(data.length)
    if (this.#isClosing) return
    if (isBinary) {
      this.close(UNSUPPORTED_DATA, 'events are text frames')
      return
    }
    this.#handler?.receive(data)
    this.#readAsFits()
  }

  /** Gives back the bytes of a frame that is complete. Its handler reserves what it keeps of it. */
  #completeFrame(payloadBytes: number): void {
    const { bodies, keyId } = this.#options
    this.#incoming = Math.max(0, this.#incoming - frameBytes(payloadBytes))
    this.#hold.release()
    this.#hold = bodies.open(keyId)
    this.#hold.grow(this.#incoming)
  }

  /** Counts bytes before their frame is complete, in the budget of request bodies. */
  #count(bytes: number): void {
    this.#lastBytesAtMs = this.#options.clock.monotonicMs()
    this.#incoming += bytes
    if (this.#isClosing || this.#hold.grow(bytes) === undefined) return
    this.#handler?.refuse(new GatewayError('bodies_over_capacity'))
    this.close(TRY_AGAIN_LATER, 'the requests in progress fill the memory that this gateway allows them')
  }

  #pong(data: Buffer): void {
    const { webSocket } = this.#options
    this.#completeFrame(data.length)
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

  /** Catches errors, since Node would end the process if a listener of a socket throws. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.reportFault('a WebSocket connection', error)
      this.close(INTERNAL_ERROR, 'something in the gateway failed')
    }
  }
}

/** The bytes of a caller's frame: two of its head, four of its mask, and up to eight more of its length. */
function frameBytes(payloadBytes: number): number {
  const moreOfLength = payloadBytes < 126 ? 0 : payloadBytes < 65_536 ? 2 : 8
  return 6 + moreOfLength + payloadBytes
}
