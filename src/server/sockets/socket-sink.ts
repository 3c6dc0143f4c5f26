import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { nameStream, writeSocketError } from '../../wire/responses/socket/write-socket-events.ts'
import type { StoppableSink } from '../node-response-sink.ts'

/** The connection from the point of view of one answer. */
export interface EventTarget {
  /** Sends an event. If it returns false, the sender should wait until the caller has read. */
  send(event: string): boolean
}

/** The last event of a stream, in formats that have one. It is not sent, since the connection stays open. */
const TERMINATOR = '[DONE]'

/** Sends one answer over WebSocket: each server-sent event as a text frame, and an error as an event of its own. */
export class SocketSink implements StoppableSink {
  readonly #target: EventTarget
  readonly #streamId: string | undefined
  readonly #parser = createSseParser()
  #head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined
  #isGone = false
  #isOver = false
  readonly #onDrain: (() => void)[] = []
  readonly #onGone: (() => void)[] = []
  #onStop: (() => void) | undefined

  constructor(target: EventTarget, streamId: string | undefined) {
    this.#target = target
    this.#streamId = streamId
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#head = { status, headers }
  }

  write(bytes: Buffer | string): boolean {
    if (this.#isGone || this.#isOver) return true
    let mayGoOn = true
    for (const { event, data } of this.#parser.push(Buffer.from(bytes))) {
      // A broken stream ends in "error" and "response.failed". Here each ends a request: a client would take the second
      // for the answer to its next request. Codex reads only the second, so that one is sent.
      if (event !== 'error') mayGoOn = this.#send(data) && mayGoOn
    }
    return mayGoOn
  }

  end(last?: Buffer | string): void {
    if (this.#isGone || this.#isOver) return
    const { status = 200, headers = {} } = this.#head ?? {}
    if (last !== undefined && status >= 400) {
      this.#send(writeSocketError({ status, headers, body: last.toString() }))
    } else {
      if (last !== undefined) this.write(last)
      this.#send(this.#parser.end()?.data)
    }
    this.#isOver = true
  }

  /** Ends the answer. The event that reports the interruption has already been sent. */
  cut(): void {
    this.#isOver = true
  }

  onDrain(listener: () => void): void {
    this.#onDrain.push(listener)
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener()
    else this.#onGone.push(listener)
  }

  onStop(listener: () => void): void {
    this.#onStop = listener
  }

  stop(): void {
    this.#onStop?.()
  }

  /** Called when the caller has read the waiting bytes. */
  drained(): void {
    for (const listener of this.#onDrain) listener()
  }

  /** Called when the connection is closed. */
  leave(): void {
    if (this.#isGone) return
    this.#isGone = true
    for (const listener of this.#onGone.splice(0)) listener()
  }

  #send(data: string | undefined): boolean {
    if (data === undefined || data === '' || data === TERMINATOR) return true
    return this.#target.send(nameStream(data, this.#streamId))
  }
}
