import type { Failure } from '../../canonical/failure.ts'
import { addMembers } from '../../kit/collections/add-members.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { LimitStatus } from '../../wire/limit-status.ts'
import type { FormatFrames } from '../../wire/wire-format.ts'
import type { DeadlineWatch, WatchEntry, Watched } from './deadline-watch.ts'
import { LimitHeaders } from './limit-headers.ts'
import type { ResponseSink } from './response-sink.ts'

export interface HeartbeatOptions {
  /** The silence before the first heartbeat. */
  readonly afterMs: number
  readonly everyMs: number
}

/**
 * The one place from which an answer is sent. It knows what the caller has seen, so that nothing is sent twice and
 * nothing that was cut off can look complete.
 */
export interface ResponseWriter {
  /** Whether status and headers are sent. From then on a failure can only be an event. */
  readonly hasStarted: boolean
  /** Whether a part of an answer is sent. From then on no other target may take over. */
  readonly hasContent: boolean
  readonly statusSent: number | undefined
  readonly bytesSent: number
  /**
   * Prepares the head of the answer, in a moment at which no caller waits. `streamHeaders` are those of the first
   * `writeStream`; undefined where the answer is not a stream.
   */
  prepareHead(streamHeaders?: Headers): void
  /**
   * Sends bytes of a stream, after `headers` if no headers were sent before. Returns false if the caller of this method
   * should wait for `onDrain`.
   */
  writeStream(bytes: Buffer | string, headers: Headers): boolean
  endStream(): void
  /** Sends a whole answer. Allowed only before anything was sent. */
  sendWhole(answer: WholeAnswer): void
  /**
   * Sends a failure in the way that is still possible: with a status, or with an event after which the connection is
   * cut.
   */
  fail(failure: Failure, headers: Headers): void
  /** Stops the heartbeat, because the answer is complete or the caller has disconnected. */
  close(): void
}

/** A response writer for pass-through, whose answers have the provider's own status and headers. */
export interface PassthroughWriter extends ResponseWriter {
  /** Begins an answer whose bytes follow with `writeStream`. Allowed only before anything was sent. */
  begin(status: number, headers: Headers): void
}

export interface WholeAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer | string
}

export interface ResponseWriterOptions {
  readonly sink: ResponseSink
  readonly format: FormatFrames
  readonly requestId: string
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Reads the remainder of the caller's rate limits, for the headers; undefined where no limit applies. */
  readonly readLimits?: (() => readonly LimitStatus[]) | undefined
  /** Undefined where the answer is not a stream, or heartbeats are off. */
  readonly heartbeat: HeartbeatOptions | undefined
  /** Called when a heartbeat could not be written because of a fault of the gateway. */
  readonly onFault: (error: unknown) => void
}

type Headers = Readonly<Record<string, string>>

/** The head of a stream, and the headers of which it was made. */
interface PreparedHead {
  readonly headers: Headers
  readonly limits: Headers | undefined
  readonly head: Headers
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

export function createResponseWriter(options: ResponseWriterOptions): PassthroughWriter {
  return new SinkResponseWriter(options)
}

class SinkResponseWriter implements PassthroughWriter, Watched {
  readonly #options: ResponseWriterOptions
  readonly #limits: LimitHeaders
  statusSent: number | undefined
  hasContent = false
  bytesSent = 0
  #wroteSinceHeartbeat = false
  /** The time of the next heartbeat, by `Clock.monotonicMs`. */
  #heartbeatAtMs = 0
  #watchEntry: WatchEntry | undefined
  #isEvents = true
  #streamHead: PreparedHead | undefined
  /** The last frames, of a format that numbers its events. */
  #shown: Buffer | string | undefined

  constructor(options: ResponseWriterOptions) {
    this.#options = options
    this.#limits = new LimitHeaders(options)
    if (options.heartbeat === undefined) return
    this.#heartbeatAtMs = options.clock.monotonicMs() + options.heartbeat.afterMs
    this.#watchEntry = options.watch.add(this)
  }

  get hasStarted(): boolean {
    return this.statusSent !== undefined
  }

  prepareHead(streamHeaders?: Headers): void {
    this.#limits.prepare()
    if (streamHeaders === undefined) return
    const limits = this.#limits.read()
    this.#streamHead = { headers: streamHeaders, limits, head: this.#writeStreamHead(streamHeaders, limits) }
  }

  writeStream(bytes: Buffer | string, headers: Headers): boolean {
    this.hasContent = true
    this.#wroteSinceHeartbeat = true
    if (this.#options.format.numbersEvents === true && bytes.length > 0) this.#shown = bytes
    return this.#write(bytes, headers)
  }

  begin(status: number, headers: Headers): void {
    const { format, requestId } = this.#options
    this.close()
    this.#isEvents = false
    const ids = { 'x-request-id': requestId, [format.requestIdHeader]: requestId }
    this.#start(status, { ...this.#limits.read(), ...headers, ...ids })
  }

  endStream(): void {
    this.close()
    this.#options.sink.end()
  }

  sendWhole({ status, headers, body }: WholeAnswer): void {
    const { format, requestId } = this.#options
    this.close()
    const length = Buffer.byteLength(body)
    const all: Record<string, string> = { 'content-type': 'application/json', 'x-request-id': requestId }
    all[format.requestIdHeader] = requestId
    addMembers(all, this.#limits.read())
    addMembers(all, headers)
    all['content-length'] = String(length)
    this.#start(status, all)
    this.bytesSent += length
    this.#options.sink.end(body)
  }

  fail(failure: Failure, headers: Headers): void {
    const { format, requestId, sink } = this.#options
    if (this.statusSent === undefined) {
      this.sendWhole(renderFailure(failure, { format, requestId, headers }))
      return
    }
    this.close()
    // A player would play an event in the middle of sound as noise.
    if (this.#isEvents) this.#write(format.writeErrorEvent(failure, requestId, this.#shown), {})
    sink.cut()
  }

  close(): void {
    if (this.#watchEntry !== undefined) this.#options.watch.remove(this.#watchEntry)
    this.#watchEntry = undefined
  }

  look(nowMs: number): void {
    const { heartbeat, format } = this.#options
    if (heartbeat === undefined || this.#watchEntry === undefined || nowMs < this.#heartbeatAtMs) return
    this.#heartbeatAtMs = nowMs + heartbeat.everyMs
    if (!this.#wroteSinceHeartbeat && format.heartbeat !== '') this.#write(format.heartbeat, {})
    this.#wroteSinceHeartbeat = false
  }

  onError(error: unknown): void {
    this.close()
    this.#options.onFault(error)
  }

  #start(status: number, headers: Headers): void {
    if (this.statusSent !== undefined) return
    this.statusSent = status
    this.#options.sink.start(status, headers)
  }

  #write(bytes: Buffer | string, headers: Headers): boolean {
    if (this.statusSent === undefined) {
      this.#isEvents = headers['content-type'] === undefined
      this.#start(200, this.#readStreamHead(headers))
    }
    this.bytesSent += Buffer.byteLength(bytes)
    return this.#options.sink.write(bytes)
  }

  #readStreamHead(headers: Headers): Headers {
    const limits = this.#limits.read()
    const prepared = this.#streamHead
    const isCurrent = prepared?.headers === headers && prepared.limits === limits
    return isCurrent ? prepared.head : this.#writeStreamHead(headers, limits)
  }

  #writeStreamHead(headers: Headers, limits: Headers | undefined): Headers {
    const { format, requestId } = this.#options
    const all: Record<string, string> = { ...streamHeaders }
    if (format.streamType !== undefined) all['content-type'] = format.streamType
    all['x-request-id'] = requestId
    all[format.requestIdHeader] = requestId
    addMembers(all, limits)
    addMembers(all, headers)
    return all
  }
}

interface RenderOptions {
  readonly format: FormatFrames
  readonly requestId: string
  readonly headers: Headers
}

/** Writes a failure in the caller's format, or in the upstream's own words if the failure carries them. */
export function renderFailure(failure: Failure, { format, requestId, headers }: RenderOptions): WholeAnswer {
  const rendered = format.writeError(failure, requestId)
  const body = failure.upstream?.body
  return {
    status: rendered.status,
    headers: { ...headers, ...rendered.headers },
    body: body === undefined ? JSON.stringify(rendered.body) : Buffer.from(body),
  }
}
