import type { Failure } from '../canonical/failure.ts'
import type { Clock, Timer } from '../kit/clock.ts'
import type { WireFormat } from '../wire/wire-format.ts'
import type { ReplySink } from './reply-sink.ts'

export interface HeartbeatOptions {
  /** Silence before the first one. */
  readonly afterMs: number
  readonly everyMs: number
}

/**
 * The one place where an answer leaves. It knows what the caller has seen, so that nothing is sent twice and nothing
 * cut off can look whole (laws 5 and 6).
 */
export interface Outlet {
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
  /** Tells the caller of a failure in the way that is still open: a status, or an event and a cut. */
  fail(failure: Failure, headers: Readonly<Record<string, string>>): void
  /** Stops the heartbeat; the caller is gone or served. */
  close(): void
}

export interface WholeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

export interface OutletParts {
  readonly sink: ReplySink
  readonly format: WireFormat
  readonly requestId: string
  readonly clock: Clock
  /** Undefined where the answer is not a stream, or heartbeats are off. */
  readonly heartbeat: HeartbeatOptions | undefined
  readonly idHeaders: Readonly<Record<string, string>>
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

export function createOutlet({ sink, format, requestId, clock, heartbeat, idHeaders }: OutletParts): Outlet {
  let statusSent: number | undefined
  let hasContent = false
  let bytesSent = 0
  let wroteSinceBeat = false
  let beat: Timer | undefined = heartbeat && clock.startTimer(heartbeat.afterMs, sendHeartbeat)

  function sendHeartbeat() {
    if (heartbeat === undefined) return
    if (!wroteSinceBeat) write(format.heartbeat, {})
    wroteSinceBeat = false
    beat = clock.startTimer(heartbeat.everyMs, sendHeartbeat)
  }

  function start(status: number, headers: Readonly<Record<string, string>>) {
    if (statusSent !== undefined) return
    statusSent = status
    sink.start(status, headers)
  }

  function write(bytes: Buffer | string, headers: Readonly<Record<string, string>>): boolean {
    if (statusSent === undefined) start(200, { ...streamHeaders, ...idHeaders, ...headers })
    bytesSent += bytes.length
    return sink.write(bytes)
  }

  function close() {
    beat?.cancel()
    beat = undefined
  }

  function sendWhole({ status, headers, body }: WholeAnswer) {
    close()
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    start(status, {
      'content-type': 'application/json',
      ...idHeaders,
      ...headers,
      'content-length': String(length),
    })
    bytesSent += length
    sink.end(body)
  }

  return {
    get hasStarted() {
      return statusSent !== undefined
    },
    get hasContent() {
      return hasContent
    },
    get statusSent() {
      return statusSent
    },
    get bytesSent() {
      return bytesSent
    },
    writeStream(bytes, headers) {
      hasContent = true
      wroteSinceBeat = true
      return write(bytes, headers)
    },
    endStream() {
      close()
      sink.end()
    },
    sendWhole,
    fail(failure, headers) {
      if (statusSent === undefined) {
        sendWhole(renderFailure(failure, { format, requestId, headers }))
        return
      }
      close()
      write(format.writeErrorEvent(failure, requestId), {})
      sink.cut()
    },
    close,
  }
}

interface RenderOptions {
  readonly format: WireFormat
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
