import type { Socket } from 'node:net'
import type { Clock, ReportFault } from '../../kit/time/clock.ts'
import type { RequestListener } from './server-set.ts'

type Exchange = Parameters<RequestListener>

/** Requests of one connection that are worked on at once. Clients that pipeline send a handful. */
const MAX_IN_FLIGHT = 16

/**
 * One read of 64 KB can hold more than a thousand small requests, and Node hands them on one after the other without a
 * pause. A connection starts this many of them as they come, within `AT_ONCE_MS`; the others take turns with all else.
 */
const MAX_CONSECUTIVE_REQUESTS = 8
const AT_ONCE_MS = 5

/**
 * The requests of a connection that may wait. With more, it ends with the answer to the last one that waits, and its
 * client asks again for the others (RFC 9112 §9.3.2). Taking in a read full of requests from each of many connections
 * would stall everybody else, and so would their end: Node makes an error with a stack for each request that a
 * connection takes with it.
 */
const MAX_WAITING = 64

/** The time that the waiting requests of all connections may take in one turn of the event loop. */
const TURN_MS = 5

export interface InTurnOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly reportFault: ReportFault
}

/**
 * Bounds what one connection can have under way, and what it can do in one turn of the event loop: what is pipelined
 * beyond waits, and the connection is not read until none waits. Node reads on by itself for as long as little of the
 * answers waits to be sent. Answers leave in the order of their requests whatever is done here; Node sees to that.
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

/** Connections with requests that may start: one request of each after the other, with a pause for all else. */
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
  /** Set where no more requests are taken; the last one that waits closes the connection. */
  #isFull = false
  /** The requests that were started on arrival, since that time. */
  #atOnce = 0
  #sinceMs = 0

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
  }

  enter(...exchange: Exchange): void {
    if (
      !this.#isFull &&
      this.#waiting.length === 0 &&
      this.#inProgress < MAX_IN_FLIGHT &&
      this.#mayStartAtOnce()
    ) {
      this.#start(...exchange)
      return
    }
    if (this.#isFull) return
    if (this.#waiting.push(exchange) === 1) stopReading(this.#socket)
    if (this.#waiting.length === MAX_WAITING) {
      this.#isFull = true
      exchange[1].shouldKeepAlive = false
      acceptNoMoreRequests(this.#socket)
    }
    this.#enqueue()
  }

  /** Starts one of the requests that wait. The queue calls this. */
  startNext(): void {
    this.#isQueued = false
    // The last answer of a connection, or its end: later answers would not be read.
    if (!this.#socket.writable) this.#waiting = []
    const next = this.#waiting.shift()
    if (next !== undefined) this.#start(...next)
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

  #start(...[message, response]: Exchange): void {
    this.#inProgress += 1
    response.on('close', this.#leave)
    // An answer that is written to after its end says so by an event, which would end the process.
    response.on('error', this.#options.onError)
    this.#options.serve(message, response)
  }

  /** Called when an answer is out, or the connection is gone. */
  readonly #leave = (): void => {
    this.#inProgress -= 1
    this.#enqueue()
  }
}

/**
 * Node reads on after each whole request and after much of what is written, always by this method, and has no other way
 * to be kept from it. That a newer Node still asks this method is what test/security/pipelining.test.ts holds.
 */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
}

function readOn(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume')
  socket.resume()
}

/** The rest of what was read is not HTTP any more: as after the head of a request for another protocol. */
const REST_IS_NOT_HTTP = 2

/**
 * Makes Node's parser stop at the next head, in this reading and in those that follow: what else came is discarded
 * without an object for each request. Node has no other way. The test serve-in-turn.test.ts holds that a newer Node
 * still asks for this.
 */
function acceptNoMoreRequests(socket: Socket & { readonly parser?: object | null }): void {
  if (socket.parser) Reflect.set(socket.parser, 'onIncoming', () => REST_IS_NOT_HTTP)
}
