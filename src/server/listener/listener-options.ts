import type { AdmitOperator } from '../../admin/people/admit-operator.ts'
import type { OperationId } from '../../canonical/format.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock, ReportFault } from '../../kit/time/clock.ts'
import type { CallerAccess } from '../../pipeline/caller-access.ts'
import type { RealtimeGateway } from '../../pipeline/realtime/realtime-gateway.ts'
import type { DeadlineWatch } from '../../pipeline/response/deadline-watch.ts'
import type { Serve } from '../../pipeline/serve.ts'
import type { Observer } from '../../telemetry/observer.ts'
import type { Spool } from '../../uploads/open-spool.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import type { AdminHosts } from '../admin-hosts.ts'
import type { BodyBudget, BodyCapacity } from '../body/body-budget.ts'
import type { DrainGate } from '../drain-gate.ts'
import type { Relay } from '../handed/relay-operators.ts'
import type { ServerRoute } from '../route.ts'
import type { SocketLimits, SocketRoute } from '../sockets/socket-options.ts'
import type { SocketSet } from '../sockets/socket-set.ts'

/** The parts of the program that a listener needs. */
export interface ListenerOptions {
  readonly routes: readonly ServerRoute[]
  /** The operations over WebSocket. */
  readonly socketRoutes: readonly SocketRoute[]
  /** The WebSocket connections of all listeners. */
  readonly sockets: SocketSet
  /** The limits of WebSocket connections, read whenever they apply; undefined if WebSocket is disabled. */
  readonly webSocket: () => SocketLimits | undefined
  readonly random: Random
  readonly callerAccess: CallerAccess
  /** The pipeline's function that serves a request. */
  readonly serve: Serve
  readonly realtime: RealtimeGateway
  readonly formats: Readonly<Record<OperationId, CallerFormat>>
  readonly gate: DrainGate
  readonly observer: Observer
  /** Reports faults that do not fit into the log row of a request. */
  readonly reportFault: ReportFault
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Throws `admin_only` unless the header holds the admin token. */
  readonly checkAdmin: (authorization: string | undefined) => void
  /** Admits requests of the admin API by session, token or the admin token. */
  readonly admitOperator: AdmitOperator
  /** Throws `admin_only` if the metrics require a token and the header has none that may read them. */
  readonly checkMetrics: (authorization: string | undefined) => void
  /** The host names. They are read for each request of an operator, so that a change takes effect at once. */
  readonly adminHosts: () => AdminHosts
  /** Relays requests that another process answers. */
  readonly relay?: Relay | undefined
  /** The budget of bodies, shared by all listeners. */
  readonly bodies: BodyBudget
  /** The budget of the forms that callers upload, in memory or on disk. */
  readonly uploads: BodyBudget
  /** The folder of uploaded files. */
  readonly spool: Spool
  /** The limits. They are read whenever they apply, so that a change takes effect at once. */
  readonly limits: ListenerLimits
}

export interface ListenerLimits extends BodyCapacity {
  readonly bodyBytes: number
  /** The maximum size of a form. */
  readonly uploadBytes: number
  /** The maximum bytes of one form's files that stay in memory. */
  readonly uploadMemoryBytes: number
  readonly connections: number
  /** The maximum number of connections from one address. */
  readonly connectionsPerAddress: number
}
