import type { OperationId } from '../../canonical/format.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock, ReportFault } from '../../kit/time/clock.ts'
import type { CallerAccess } from '../../pipeline/caller-access.ts'
import type { RealtimeGateway } from '../../pipeline/realtime/realtime-gateway.ts'
import type { Serve } from '../../pipeline/serve.ts'
import type { Observer } from '../../telemetry/observer.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import type { BodyBudget } from '../body/body-budget.ts'
import type { DrainGate } from '../drain-gate.ts'
import type { RequestHead, RequestingCaller } from '../request-head.ts'
import type { CallerSocket, SocketHandler } from './socket-handler.ts'
import type { SocketSet } from './socket-set.ts'

/** The parts of the program that serve callers over WebSocket. */
export interface SocketOptions {
  /** The WebSocket connections of all listeners. */
  readonly sockets: SocketSet
  /** The limits of connections, read whenever they apply; undefined if no offer is accepted. */
  readonly webSocket: () => SocketLimits | undefined
  readonly serve: Serve
  readonly realtime: RealtimeGateway
  readonly gate: DrainGate
  readonly bodies: BodyBudget
  readonly limits: { readonly bodyBytes: number }
  readonly formats: Readonly<Record<OperationId, CallerFormat>>
  readonly clock: Clock
  readonly random: Random
  readonly observer: Observer
  readonly callerAccess: CallerAccess
  readonly checkAdmin: (authorization: string | undefined) => void
  readonly reportFault: ReportFault
}

export interface SocketLimits {
  /** The time without traffic after which a connection is closed. */
  readonly idleMs: number
  readonly socketsOfKey: number
}

/** The handshake of an admitted caller. */
export interface AdmittedSocket {
  readonly head: RequestHead
  readonly caller: RequestingCaller
  readonly route: SocketRoute
}

/** An operation over WebSocket. */
export interface SocketRoute {
  readonly path: string
  readonly policy: 'caller'
  readonly format: 'responses' | 'chat' | 'gemini'
  /** Whether the key may be in the URL, where Google's clients send it. */
  readonly acceptsQueryKey?: boolean
  readonly forOperators?: never
  /** Admits a caller for operations with other credentials than a key in a header. Throws `GatewayError`. */
  authenticate?(head: RequestHead, options: SocketOptions): RequestingCaller
  /**
   * Opens what the connection needs before the answer 101. Rejects with `GatewayError`, which is answered over HTTP.
   * `gone` is aborted if the caller disconnects in the meantime.
   */
  prepare?(admitted: AdmittedSocket, options: SocketOptions, gone: AbortSignal): Promise<PreparedSocket>
  /** Serves a connection that needs no preparation. */
  open?(admitted: AdmittedSocket, socket: CallerSocket, options: SocketOptions): SocketHandler
}

/** A prepared connection, ready for the answer 101. */
export interface PreparedSocket {
  open(socket: CallerSocket): SocketHandler
  /** Releases the prepared resources, since the caller has disconnected. */
  abandon(): void
}
