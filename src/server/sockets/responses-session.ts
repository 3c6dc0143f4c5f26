import { type Failure, failureOf, GatewayError } from '../../canonical/failure.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import type { CallerRequest, OperationRequest } from '../../pipeline/exchange/caller-request.ts'
import { renderFailure } from '../../pipeline/response/response-writer.ts'
import { ConversationMemory } from '../../pipeline/stored-responses/conversation-memory.ts'
import { prepareResponse } from '../../pipeline/stored-responses/prepare-response.ts'
import { readSocketEvent, type SocketEvent } from '../../wire/responses/socket/read-socket-event.ts'
import {
  nameStream,
  writePreparedEvents,
  writeSocketError,
  writeSteerFailure,
} from '../../wire/responses/socket/write-socket-events.ts'
import { authenticate } from '../authenticate-request.ts'
import type { BodyHold } from '../body/body-budget.ts'
import { reserveCapacity } from '../body/read-body.ts'
import { logAnsweredRequest } from '../log-answered-request.ts'
import type { RequestHead } from '../request-head.ts'
import { readSocketHeaders } from './read-socket-headers.ts'
import type { CallerSocket, RetireReason, SocketHandler } from './socket-handler.ts'
import type { AdmittedSocket, SocketOptions } from './socket-options.ts'
import { SocketSink } from './socket-sink.ts'

/** The maximum number of responses of one connection that are generated concurrently, each on its own named stream. */
const MAX_STREAMS = 8
/** The maximum number of requests that wait after those. With more, the connection is not read. */
const MAX_WAITING = 4

type CreateEvent = Extract<SocketEvent, { type: 'create' }>

interface WaitingCreate extends CreateEvent {
  readonly hold: BodyHold
}

/**
 * The Responses API over WebSocket. Each `response.create` is a request like any other, with its own row, limits and
 * charge. The requests of one stream are served in order.
 */
export class ResponsesSession implements SocketHandler {
  readonly #admitted: AdmittedSocket
  readonly #connection: CallerSocket
  readonly #options: SocketOptions
  readonly #memory: ConversationMemory
  readonly #headers: CallerRequest['headers']
  readonly #inFlight = new Map<string | undefined, SocketSink>()
  #waiting: WaitingCreate[] = []
  #isGone = false

  constructor(admitted: AdmittedSocket, connection: CallerSocket, options: SocketOptions) {
    this.#admitted = admitted
    this.#connection = connection
    this.#options = options
    this.#memory = new ConversationMemory(() => options.bodies.open(admitted.caller.keyId))
    this.#headers = readSocketHeaders(admitted.head.message.headers)
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.length === 0
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING
  }

  receive(frame: Buffer): void {
    try {
      const event = readSocketEvent(frame)
      if (event.type === 'steer') this.#connection.send(writeSteerFailure(event.previousId, event.input))
      else this.#enqueue(event)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.refuse(error)
    }
  }

  refuse(error: GatewayError): void {
    this.#sendFailure(error.failure, undefined, this.#openHead())
  }

  drained(): void {
    for (const sink of this.#inFlight.values()) sink.drained()
  }

  leave(): void {
    this.#isGone = true
    for (const { hold, body } of this.#waiting) {
      hold.release()
      body.release()
    }
    this.#waiting = []
    for (const sink of this.#inFlight.values()) sink.leave()
    this.#memory.clear()
  }

  retire(reason: RetireReason): void {
    for (const { hold, body, streamId } of this.#waiting) {
      hold.release()
      body.release()
      this.#sendFailure(retiredFailure(reason).failure, streamId, this.#openHead())
    }
    this.#waiting = []
    if (reason === 'lifetime' && this.isIdle) this.refuse(retiredFailure(reason))
  }

  #enqueue(event: CreateEvent): void {
    const { retired } = this.#connection
    const hold = this.#options.bodies.open(this.#admitted.caller.keyId)
    const fault = retired === undefined ? reserveCapacity(hold, event.body.length) : retiredFailure(retired)
    if (fault !== undefined) {
      hold.release()
      this.#sendFailure(fault.failure, event.streamId, this.#openHead())
      return
    }
    this.#waiting.push({ ...event, hold })
    this.#startNext()
  }

  /** Starts the first waiting request of each stream without a request in progress. */
  #startNext(): void {
    for (const create of [...this.#waiting]) {
      if (this.#inFlight.size >= MAX_STREAMS) return
      if (this.#inFlight.has(create.streamId)) continue
      this.#waiting = this.#waiting.filter((one) => one !== create)
      void this.#serve(create)
    }
  }

  /** Serves one request to its end. Never rejects. */
  async #serve(create: WaitingCreate): Promise<void> {
    const { gate } = this.#options
    const sink = new SocketSink(this.#connection, create.streamId)
    this.#inFlight.set(create.streamId, sink)
    const leaveGate = gate.enter(() => sink.stop())
    const head = this.#openHead()
    try {
      if (create.isGenerated) await this.#generate(create.body, sink, head)
      else this.#prepare(create, head)
    } catch (error) {
      this.#answerFault(error, create.streamId, head)
    } finally {
      create.hold.release()
      create.body.release()
      this.#inFlight.delete(create.streamId)
      if (!this.#isGone) this.#goOn()
      leaveGate()
    }
  }

  #goOn(): void {
    this.#startNext()
    this.#connection.settle()
  }

  #generate(body: BodyBytes, sink: SocketSink, head: RequestHead): Promise<void> {
    const { serve, formats } = this.#options
    const { requestId, path, address, startedAtMs } = head
    return serve({
      authenticate: () => this.#authenticate(head),
      receive: (caller) => {
        const request: OperationRequest = {
          type: 'operation',
          requestId,
          path,
          query: '',
          address,
          startedAtMs,
          caller,
          body,
          format: formats.responses,
          headers: this.#headers,
          memory: this.#memory,
        }
        return { request, sink }
      },
    })
  }

  /** Prepares a response from which a later request continues. Nothing is generated, and nothing is charged. */
  #prepare({ body, streamId }: CreateEvent, head: RequestHead): void {
    const caller = this.#authenticate(head)
    const { formats, clock, random } = this.#options
    const scanned = formats.responses.scanRequest(body)
    const response = prepareResponse(
      { scanned, keyId: caller.keyId, nowMs: clock.nowMs() },
      this.#memory,
      random,
    )
    for (const event of writePreparedEvents(response)) this.#connection.send(nameStream(event, streamId))
    const { route } = this.#admitted
    const answered = { head, identity: { type: 'caller', caller }, refusal: undefined } as const
    logAnsweredRequest({ ...answered, route, status: 200 }, this.#options)
  }

  /** Checks the key again, since it may have been revoked after the handshake. Throws `GatewayError`. */
  #authenticate(head: RequestHead) {
    return authenticate(head, this.#admitted.route, this.#options)
  }

  /** Creates the head of a request on this connection. */
  #openHead(): RequestHead {
    const { clock } = this.#options
    const requestId = createRequestId(clock.nowMs())
    return { ...this.#admitted.head, requestId, startedAtMs: clock.monotonicMs() }
  }

  /** Answers a fault that did not reach the pipeline. */
  #answerFault(error: unknown, streamId: string | undefined, head: RequestHead): void {
    const failure = failureOf(error)
    const status = this.#sendFailure(failure, streamId, head)
    const { route, caller } = this.#admitted
    const refusal = { failure, error }
    logAnsweredRequest({ head, identity: { type: 'caller', caller }, refusal, route, status }, this.#options)
  }

  #sendFailure(failure: Failure, streamId: string | undefined, { format, requestId }: RequestHead): number {
    const { status, headers, body } = renderFailure(failure, { format, requestId, headers: {} })
    const shown = { 'x-request-id': requestId, ...headers }
    const event = writeSocketError({ status, headers: shown, body: body.toString() })
    this.#connection.send(nameStream(event, streamId))
    return status
  }
}

function retiredFailure(reason: RetireReason): GatewayError {
  return new GatewayError(reason === 'draining' ? 'shutting_down' : 'websocket_connection_limit_reached')
}
