import type { Socket } from 'node:net'
import type { ListenAddress } from '../../../src/kit/net/listen-address-schema.ts'
import type { Clock } from '../../../src/kit/time/clock.ts'
import type { DeliveryStep } from '../delivery/delivery.ts'
import { type RequestHead, readFaultCall } from '../script/fault-call.ts'
import {
  type UpstreamScript,
  type UpstreamScriptInput,
  upstreamScriptSchema,
} from '../script/script-schema.ts'
import { destroySockets } from '../socket/close-socket.ts'
import { openListenerWindow } from '../socket/open-listener-window.ts'
import { admitConnection } from './admit-connection.ts'
import { type ConnectionOwner, FaultConnection } from './fault-connection.ts'
import { openTlsServer, type TlsServer } from './open-tls-server.ts'
import { chooseRule, planResponse, type ResponsePlan } from './plan-response.ts'
import { RequestRecord, type SeenRequest, type TrafficCount } from './upstream-traffic.ts'

export interface FaultUpstreamOptions {
  readonly clock: Clock
  readonly seed: number
  /** The script; without one, every answer is a good one. An invalid script throws the error of its schema. */
  readonly script?: UpstreamScriptInput
  /** The address to listen on; by default a free port on loopback. */
  readonly listen?: ListenAddress
  /** Called with each request once its head is read. */
  readonly onRequest?: (request: SeenRequest) => void
}

export interface FaultUpstream {
  /** The origin, such as `http://127.0.0.1:4321`, without a path. */
  readonly origin: string
  readonly port: number
  /** The root that a caller has to trust, in PEM, with TLS. */
  readonly authority: string | undefined
  readonly requests: readonly SeenRequest[]
  readonly traffic: TrafficCount
  /** The request with this number, from 1, once it is read and its answer has begun. */
  request(number: number): Promise<SeenRequest>
  /** Fulfilled once the listener is in the state that the script sets for this time. */
  idle(): Promise<void>
  /** Closes every connection immediately, and cancels every timer. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const loopback: ListenAddress = { host: '127.0.0.1', port: 0 }

/**
 * Opens a provider that speaks chat completions, messages, completions, embeddings, token counts and the model list,
 * and fails as its script demands. Rejects if the port is in use.
 */
export async function openFaultUpstream(options: FaultUpstreamOptions): Promise<FaultUpstream> {
  const script = upstreamScriptSchema.parse(options.script ?? {})
  const { clock, listen = loopback } = options
  const host = new UpstreamHost(options, script)
  const listener = await openListenerWindow({
    clock,
    listen,
    closed: script.refuse,
    allowHalfOpen: false,
    onConnection: (socket) => host.accept(socket),
  })
  const close = async () => {
    await listener.close()
    await host.close()
  }
  const name = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  return {
    origin: `${script.tls === undefined ? 'http' : 'https'}://${name}:${listener.port}`,
    port: listener.port,
    authority: host.authority,
    requests: host.requests,
    traffic: host.traffic,
    request: (number) => host.request(number),
    idle: listener.idle,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Counts that the connections of an upstream write and others read. */
class Counts implements TrafficCount {
  connectionsOpened = 0
  connectionsOpen = 0
  bytesReceived = 0
  bytesSent = 0
}

class UpstreamHost {
  readonly requests: RequestRecord[] = []
  readonly traffic = new Counts()
  readonly #clock: Clock
  readonly #script: UpstreamScript
  readonly #options: FaultUpstreamOptions
  readonly #openedAtMs: number
  readonly #tls: TlsServer | undefined
  readonly #sockets = new Set<Socket>()
  readonly #credentialAttempts = new Map<string, number>()
  readonly #waiting: { readonly number: number; readonly resolve: (request: SeenRequest) => void }[] = []

  constructor(options: FaultUpstreamOptions, script: UpstreamScript) {
    this.#clock = options.clock
    this.#options = options
    this.#script = script
    this.#openedAtMs = options.clock.monotonicMs()
    this.#tls = script.tls === undefined ? undefined : openTlsServer(script.tls)
  }

  get authority(): string | undefined {
    return this.#tls?.authority
  }

  accept(socket: Socket): void {
    this.traffic.connectionsOpened += 1
    this.traffic.connectionsOpen += 1
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      this.#sockets.delete(socket)
      this.traffic.connectionsOpen -= 1
    })
    const number = this.traffic.connectionsOpened
    admitConnection(socket, {
      clock: this.#clock,
      script: this.#script,
      tls: this.#tls,
      seed: this.#options.seed,
      connection: { number, atMs: this.#elapsedMs() },
      onReady: (ready, idleCloseMs) => {
        new FaultConnection(ready, this.#ownerOf(number), idleCloseMs).start()
      },
    })
  }

  #open(head: RequestHead, connection: number): RequestRecord {
    const number = this.requests.length + 1
    const record = new RequestRecord(head, { number, connection, atMs: this.#elapsedMs() })
    const { credential } = readFaultCall(head, Buffer.alloc(0))
    record.credential = credential
    const attempts = (this.#credentialAttempts.get(credential ?? '') ?? 0) + 1
    this.#credentialAttempts.set(credential ?? '', attempts)
    record.credentialAttempt = attempts
    this.requests.push(record)
    this.#options.onRequest?.(record)
    return record
  }

  #answer(record: RequestRecord, body: Buffer | undefined): readonly DeliveryStep[] | undefined {
    const call = readFaultCall(record, body ?? Buffer.alloc(0))
    const plan: ResponsePlan = {
      script: this.#script,
      seed: this.#options.seed,
      call,
      turn: { attempt: record.number, credentialAttempt: record.credentialAttempt, atMs: record.atMs },
      nowMs: this.#clock.nowMs(),
    }
    const { index, fault } = chooseRule(plan)
    if (body === undefined && fault.early !== true) return undefined
    record.rule = index
    record.model = call.model
    record.body = body ?? record.body
    record.isAnswered = true
    queueMicrotask(() => this.#wake())
    return planResponse(plan, fault)
  }

  request(number: number): Promise<SeenRequest> {
    const { promise, resolve } = Promise.withResolvers<SeenRequest>()
    this.#waiting.push({ number, resolve })
    this.#wake()
    return promise
  }

  #elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#openedAtMs
  }

  /** Fulfilled once every connection is closed. */
  async close(): Promise<void> {
    await destroySockets(this.#sockets)
  }

  #ownerOf(connection: number): ConnectionOwner {
    return {
      clock: this.#clock,
      open: (head) => this.#open(head, connection),
      answer: (record, body) => this.#answer(record, body),
      elapsedMs: () => this.#elapsedMs(),
      received: (bytes) => {
        this.traffic.bytesReceived += bytes
      },
      sent: (bytes) => {
        this.traffic.bytesSent += bytes
      },
    }
  }

  #wake(): void {
    for (const each of this.#waiting.splice(0)) {
      const request = this.requests[each.number - 1]
      if (request?.isAnswered === true) each.resolve(request)
      else this.#waiting.push(each)
    }
  }
}
