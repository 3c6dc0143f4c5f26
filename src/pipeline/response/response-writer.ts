import type { Failure } from '../../canonical/failure.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { FormatWords } from '../../wire/wire-format.ts'
import type { DeadlineWatch, WatchEntry, Watched } from './deadline-watch.ts'
import type { ResponseSink } from './response-sink.ts'

export interface HeartbeatOptions {
  /** Silence before the first one. */
  readonly afterMs: number
  readonly everyMs: number
}

/**
 * The one place where an answer leaves. It knows what the caller has seen, so that nothing is sent twice and nothing
 * cut off can look whole.
 */
export interface ResponseWriter {
  /** Status and headers are out; from here on a failure can only be an event. */
  readonly hasStarted: boolean
  /** Something of an answer is out; from here on no other target may take over. */
  readonly hasContent: boolean
  readonly statusSent: number | undefined
  readonly bytesSent: number
  /** Sends bytes of a stream, with `headers` where none went out before. False asks to wait for `onDrain`. */
  writeStream(bytes: Buffer | string, headers: Readonly<Record<string, string>>): boolean
  endStream(): void
  /** Sends an answer that is whole. Only before anything was sent. */
  sendWhole(answer: WholeAnswer): void
  /** Sends a failure as still can be: by a status, or by an event and a cut. */
  fail(failure: Failure, headers: Readonly<Record<string, string>>): void
  /** Stops the heartbeat; the caller is gone or served. */
  close(): void
}

export interface WholeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

export interface ResponseWriterOptions {
  readonly sink: ResponseSink
  readonly format: FormatWords
  readonly requestId: string
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Undefined where the answer is not a stream, or heartbeats are off. */
  readonly heartbeat: HeartbeatOptions | undefined
  /** A heartbeat could not be written, for a fault of ours. */
  readonly onFault: (error: unknown) => void
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

export function createResponseWriter(parts: ResponseWriterOptions): ResponseWriter {
  return new SinkResponseWriter(parts)
}

class SinkResponseWriter implements ResponseWriter, Watched {
  readonly #parts: ResponseWriterOptions
  statusSent: number | undefined
  hasContent = false
  bytesSent = 0
  #wroteSinceBeat = false
  /** Of `Clock.monotonicMs`. */
  #beatAtMs = 0
  #watchEntry: WatchEntry | undefined

  constructor(parts: ResponseWriterOptions) {
    this.#parts = parts
    if (parts.heartbeat === undefined) return
    this.#beatAtMs = parts.clock.monotonicMs() + parts.heartbeat.afterMs
    this.#watchEntry = parts.watch.add(this)
  }

  get hasStarted(): boolean {
    return this.statusSent !== undefined
  }

  writeStream(bytes: Buffer | string, headers: Readonly<Record<string, string>>): boolean {
    this.hasContent = true
    this.#wroteSinceBeat = true
    return this.#write(bytes, headers)
  }

  endStream(): void {
    this.close()
    this.#parts.sink.end()
  }

  sendWhole({ status, headers, body }: WholeAnswer): void {
    const { format, requestId } = this.#parts
    this.close()
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    this.#start(status, {
      'content-type': 'application/json',
      ...format.requestIdHeaders(requestId),
      ...headers,
      'content-length': String(length),
    })
    this.bytesSent += length
    this.#parts.sink.end(body)
  }

  fail(failure: Failure, headers: Readonly<Record<string, string>>): void {
    const { format, requestId, sink } = this.#parts
    if (this.statusSent === undefined) {
      this.sendWhole(renderFailure(failure, { format, requestId, headers }))
      return
    }
    this.close()
    this.#write(format.writeErrorEvent(failure, requestId), {})
    sink.cut()
  }

  close(): void {
    if (this.#watchEntry !== undefined) this.#parts.watch.remove(this.#watchEntry)
    this.#watchEntry = undefined
  }

  look(nowMs: number): void {
    const { heartbeat, format } = this.#parts
    if (heartbeat === undefined || this.#watchEntry === undefined || nowMs < this.#beatAtMs) return
    this.#beatAtMs = nowMs + heartbeat.everyMs
    if (!this.#wroteSinceBeat) this.#write(format.heartbeat, {})
    this.#wroteSinceBeat = false
  }

  onError(error: unknown): void {
    this.close()
    this.#parts.onFault(error)
  }

  #start(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.statusSent !== undefined) return
    this.statusSent = status
    this.#parts.sink.start(status, headers)
  }

  #write(bytes: Buffer | string, headers: Readonly<Record<string, string>>): boolean {
    if (this.statusSent === undefined) {
      const { format, requestId } = this.#parts
      this.#start(200, { ...streamHeaders, ...format.requestIdHeaders(requestId), ...headers })
    }
    this.bytesSent += bytes.length
    return this.#parts.sink.write(bytes)
  }
}

interface RenderOptions {
  readonly format: FormatWords
  readonly requestId: string
  readonly headers: Readonly<Record<string, string>>
}

/** A failure as the caller's format words it, or in the upstream's own words where the failure carries them. */
export function renderFailure(failure: Failure, { format, requestId, headers }: RenderOptions): WholeAnswer {
  const rendered = format.writeError(failure, requestId)
  const body = failure.upstream?.body
  return {
    status: rendered.status,
    headers: { ...headers, ...rendered.headers },
    body: body === undefined ? JSON.stringify(rendered.body) : Buffer.from(body),
  }
}

/** Parts of a stream as one, so that they leave in one piece. */
export function joinParts(parts: readonly (Buffer | string)[]): Buffer | string {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}
