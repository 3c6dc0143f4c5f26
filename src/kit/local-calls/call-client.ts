import { connect } from 'node:net'
import { InvariantError } from '../errors/invariant-error.ts'
import { reasonOf } from '../errors/reason-of.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { CallMessage, CallReply, FaultCodec } from './call-message.ts'
import { FrameSocket } from './frame-socket.ts'

export interface CallClientOptions {
  readonly path: string
  /** The name under which this process calls. */
  readonly process: string
  readonly clock: Pick<Clock, 'startTimer'>
  readonly faults: FaultCodec
  /** Makes the error of a call that cannot be answered. */
  readonly unavailable: (reason: string) => Error
  readonly onEvent: (topic: string, value: unknown) => Promise<void> | void
  /** The limit of the time that calls wait for the first connection. */
  readonly firstWithinMs?: number
  /**
   * Called for every connection after the first one. `lost` means that the previous connection ended without a
   * handover.
   */
  readonly onConnectedAnew: (how: 'handed-over' | 'lost') => void
}

interface Call {
  readonly message: Extract<CallMessage, { type: 'call' }>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const RETRY_AFTER_MS = 25
/** The limit of the time that calls wait for a new connection. */
const LOST_WITHIN_MS = 2_000
const HANDED_OVER_WITHIN_MS = 20_000
const MAX_CALLS = 20_000
const MAX_HELD_VALUES = 500

/**
 * Calls the objects of another process. A call fails if its answer is lost. A call that is not sent yet waits a while
 * until the other process, or its successor, can be reached.
 */
export class CallClient {
  readonly #options: CallClientOptions
  readonly #sent = new Map<number, Call>()
  #waiting: Call[] = []
  /** The values that were published without a connection, the oldest first. */
  #held: Extract<CallMessage, { type: 'publish' }>[] = []
  #frames: FrameSocket<CallMessage, CallReply> | undefined
  #state: 'connecting' | 'open' | 'paused' | 'away' | 'closed' = 'connecting'
  #hasConnected = false
  #isHandedOver = false
  #nextId = 0
  #limit: Timer | undefined
  #retry: Timer | undefined

  constructor(options: CallClientOptions) {
    this.#options = options
    this.#connect()
    this.#startLimit(options.firstWithinMs ?? HANDED_OVER_WITHIN_MS)
  }

  call(object: string, method: string, args: readonly unknown[]): Promise<unknown> {
    const { unavailable } = this.#options
    if (this.#state === 'closed') return Promise.reject(unavailable('the connection to the owner is closed'))
    if (this.#state === 'away') return Promise.reject(unavailable('the process that owns the files is away'))
    if (this.#sent.size + this.#waiting.length >= MAX_CALLS)
      return Promise.reject(unavailable('too many calls wait for the process that owns the files'))
    this.#nextId += 1
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const call: Call = {
      message: { type: 'call', id: this.#nextId, object, method, args },
      resolve,
      reject,
    }
    if (this.#state === 'open') this.#send(call)
    else this.#waiting.push(call)
    return promise
  }

  /** Publishes a value to all other processes. Without a connection the value waits for the next one. */
  publish(topic: string, value: unknown): void {
    const message = { type: 'publish', topic, value } as const
    if (this.#state === 'open') this.#frames?.send(message)
    else if (this.#state !== 'closed') this.#held.push(message)
    if (this.#held.length > MAX_HELD_VALUES) this.#held.shift()
  }

  close(): void {
    this.#state = 'closed'
    this.#limit?.cancel()
    this.#retry?.cancel()
    this.#frames?.end()
    this.#failAll('the connection to the owner is closed')
  }

  #connect(): void {
    const socket = connect(this.#options.path)
    const frames = new FrameSocket<CallMessage, CallReply>(socket, {
      onMessage: (message) => this.#receive(message),
      onClose: () => this.#onClose(frames),
    })
    socket.once('connect', () => this.#onConnect(frames))
  }

  #onConnect(frames: FrameSocket<CallMessage, CallReply>): void {
    if (this.#state === 'closed') {
      frames.end()
      return
    }
    this.#limit?.cancel()
    this.#frames = frames
    this.#state = 'open'
    frames.send({ type: 'hello', process: this.#options.process })
    for (const value of this.#held.splice(0)) frames.send(value)
    const waiting = this.#waiting
    this.#waiting = []
    if (this.#hasConnected) this.#options.onConnectedAnew(this.#isHandedOver ? 'handed-over' : 'lost')
    this.#hasConnected = true
    this.#isHandedOver = false
    for (const call of waiting) this.#send(call)
  }

  #onClose(frames: FrameSocket<CallMessage, CallReply>): void {
    if (this.#state === 'closed') return
    if (this.#frames === frames) {
      this.#frames = undefined
      this.#isHandedOver = this.#state === 'paused'
      this.#state = 'connecting'
      for (const { reject } of this.#sent.values())
        reject(this.#options.unavailable('the process that owns the files ended before it answered'))
      this.#sent.clear()
      this.#startLimit(this.#isHandedOver ? HANDED_OVER_WITHIN_MS : LOST_WITHIN_MS)
    }
    this.#retry = this.#options.clock.startTimer(RETRY_AFTER_MS, () => this.#connect())
  }

  #receive(reply: CallReply): void {
    switch (reply.type) {
      case 'answer':
        this.#withdraw(reply.id)?.resolve(reply.value)
        return
      case 'failed':
        this.#withdraw(reply.id)?.reject(this.#options.faults.read(reply.fault))
        return
      case 'event':
        void this.#onEvent(reply)
        return
      case 'pause':
        this.#state = 'paused'
        this.#frames?.send({ type: 'paused' })
    }
  }

  async #onEvent({ id, topic, value }: Extract<CallReply, { type: 'event' }>): Promise<void> {
    const frames = this.#frames
    try {
      await this.#options.onEvent(topic, value)
    } catch {
      // The failure is ignored: the handler of the event reports its own errors.
    }
    if (id !== undefined) frames?.send({ type: 'received', id })
  }

  #send(call: Call): void {
    this.#sent.set(call.message.id, call)
    try {
      this.#frames?.send(call.message)
    } catch (error) {
      // No part of the call was sent. The value is too large, or contains something that cannot be sent to another
      // process.
      this.#withdraw(call.message.id)?.reject(new InvariantError(reasonOf(error)))
    }
  }

  #withdraw(id: number): Call | undefined {
    const call = this.#sent.get(id)
    this.#sent.delete(id)
    return call
  }

  #startLimit(limitMs: number): void {
    this.#limit?.cancel()
    this.#limit = this.#options.clock.startTimer(limitMs, () => {
      this.#state = 'away'
      this.#failAll('the process that owns the files is away')
    })
  }

  #failAll(reason: string): void {
    const calls = [...this.#sent.values(), ...this.#waiting]
    this.#sent.clear()
    this.#waiting = []
    for (const { reject } of calls) reject(this.#options.unavailable(reason))
  }
}
