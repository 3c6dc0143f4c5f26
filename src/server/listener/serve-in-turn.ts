import type { Socket } from 'node:net'
import type { Clock, ReportFault } from '../../kit/time/clock.ts'
import type { RequestListener } from './server-set.ts'

type Exchange = Parameters<RequestListener>

/**
 * The maximum number of requests of one connection that are served concurrently. Clients that pipeline send a handful.
 */
const MAX_IN_FLIGHT = 16

/**
 * One read of 64 KB can contain more than a thousand small requests, and Node emits them one after the other without a
 * pause. A connection starts this many of them on arrival, within `AT_ONCE_MS`. The others take turns with all other
 * work.
 */
const MAX_CONSECUTIVE_REQUESTS = 8
const AT_ONCE_MS = 5

/**
 * The maximum number of waiting requests of a connection. At that number, the connection ends with the answer to the
 * last one, and its client sends the others again (RFC 9112 §9.3.2). A full read of requests from each of many
 * connections would block all other callers. So would closing such connections: Node creates an error with a stack for
 * each request of a closed connection.
 */
const MAX_WAITING = 64

/** The time that the waiting requests of all connections may use in one turn of the event loop. */
const TURN_MS = 5

export interface InTurnOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly reportFault: ReportFault
}

/**
 * Limits the requests of one connection that are in progress, and its work in one turn of the event loop. Further
 * pipelined requests wait, and the connection is not read until none waits. By itself, Node continues to read while few
 * bytes of the answers wait to be sent. Node sends the answers in the order of their requests in any case.
 */
export function serveInTurn(serve: RequestListener, { clock, reportFault }: InTurnOptions): RequestListener {
  const queue = new TurnQueue(clock)
  const onError = (error: Error) => reportFault('an answer', error)
  const connections = new WeakMap<Socket, PipelinedConnection>()
  return (message, response) => {
    const { socket } = message
    let connection = connections.get(socket)
    if (connection === undefined) {
      connection = new PipelinedConnection(socket, { serve, clock, queue, onError })
      connections.set(socket, connection)
    }
    connection.enter(message, response)
  }
}

/**
 * The connections with requests that may start. In each round, every connection starts one request, and all other work
 * gets a pause.
 */
class TurnQueue {
  readonly #clock: InTurnOptions['clock']
  #connections: PipelinedConnection[] = []
  #isScheduled = false

  constructor(clock: InTurnOptions['clock']) {
    this.#clock = clock
  }

  add(connection: PipelinedConnection): void {
    this.#connections.push(connection)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#connections.length === 0) return
    this.#isScheduled = true
    setImmediate(this.#run)
  }

  readonly #run = (): void => {
    this.#isScheduled = false
    const endMs = this.#clock.monotonicMs() + TURN_MS
    do {
      const round = this.#connections
      this.#connections = []
      for (const [index, connection] of round.entries()) {
        if (this.#clock.monotonicMs() >= endMs) {
          this.#connections = [...round.slice(index), ...this.#connections]
          break
        }
        connection.startNext()
      }
    } while (this.#connections.length > 0 && this.#clock.monotonicMs() < endMs)
    this.#schedule()
  }
}

interface ConnectionOptions {
  readonly serve: RequestListener
  readonly clock: InTurnOptions['clock']
  readonly queue: TurnQueue
  readonly onError: (error: Error) => void
}

class PipelinedConnection {
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  #inProgress = 0
  #waiting: Exchange[] = []
  #isQueued = false
  /** Set when no more requests are accepted. The last waiting request closes the connection. */
  #isFull = false
  /** The number of requests that were started on arrival since `#sinceMs`. */
  #atOnce = 0
  #sinceMs = 0

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
  }

  enter(message: Exchange[0], response: Exchange[1]): void {
    if (
      !this.#isFull &&
      this.#waiting.length === 0 &&
      this.#inProgress < MAX_IN_FLIGHT &&
      this.#mayStartAtOnce()
    ) {
      this.#start(message, response)
      return
    }
    if (this.#isFull) return
    if (this.#waiting.push([message, response]) === 1) stopReading(this.#socket)
    if (this.#waiting.length === MAX_WAITING) {
      this.#isFull = true
      response.shouldKeepAlive = false
      acceptNoMoreRequests(this.#socket)
    }
    this.#enqueue()
  }

  /** Starts one of the waiting requests. Called by the queue. */
  startNext(): void {
    this.#isQueued = false
    // The connection has its last answer or is closed, so later answers would not be read.
    if (!this.#socket.writable) this.#waiting = []
    const next = this.#waiting.shift()
    if (next !== undefined) this.#start(next[0], next[1])
    if (this.#waiting.length > 0) this.#enqueue()
    else readOn(this.#socket)
  }

  #mayStartAtOnce(): boolean {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - this.#sinceMs > AT_ONCE_MS) {
      this.#sinceMs = nowMs
      this.#atOnce = 0
    }
    this.#atOnce += 1
    return this.#atOnce <= MAX_CONSECUTIVE_REQUESTS
  }

  #enqueue(): void {
    if (this.#isQueued || this.#waiting.length === 0 || this.#inProgress >= MAX_IN_FLIGHT) return
    this.#isQueued = true
    this.#options.queue.add(this)
  }

  #start(message: Exchange[0], response: Exchange[1]): void {
    this.#inProgress += 1
    response.on('close', this.#leave)
    // A write to an answer after its end emits an `error` event. Without a listener, that would end the process.
    response.on('error', this.#options.onError)
    this.#options.serve(message, response)
  }

  /** Called when an answer was sent, or when the connection has closed. */
  readonly #leave = (): void => {
    this.#inProgress -= 1
    this.#enqueue()
  }
}

/**
 * Stops reading from a connection. Node resumes reading after each complete request and after many writes, always
 * through this method, and offers no other way to prevent that. The test test/security/pipelining.test.ts checks that a
 * newer Node still calls this method.
 */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
}

function readOn(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume')
  socket.resume()
}

/** The rest of the bytes is not HTTP, as after the head of a request for another protocol. */
const REST_IS_NOT_HTTP = 2

/**
 * Makes Node's parser stop at the next head, in this read and in later ones. The remaining bytes are discarded without
 * an object for each request. Node offers no other way. The test serve-in-turn.test.ts checks that a newer Node still
 * calls this function.
 */
export function acceptNoMoreRequests(socket: Socket & { readonly parser?: object | null }): void {
  if (socket.parser) Reflect.set(socket.parser, 'onIncoming', () => REST_IS_NOT_HTTP)
}
