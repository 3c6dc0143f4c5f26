import type { AnyAdminRoute } from '../../admin/admin-route.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { CallerAccess } from '../../pipeline/caller-access.ts'
import type { RealtimeGateway } from '../../pipeline/realtime/realtime-gateway.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { AdminHosts } from '../admin-hosts.ts'
import type { ConsoleSource } from '../console/console-routes.ts'
import type { DrainGate } from '../drain-gate.ts'

export interface RouteOptions {
  readonly callerAccess: CallerAccess
  readonly realtime: RealtimeGateway
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>
  readonly gate: DrainGate
  /** Whether the state of the ledger allows to serve callers. */
  readonly isReady: () => boolean
  readonly clock: Pick<Clock, 'nowMs'>
  readonly adminHosts: () => AdminHosts
  readonly adminRoutes: readonly AnyAdminRoute[]
  readonly consolePages: ConsoleSource
  /** Proves to commands on the data folder that this process serves the folder. */
  readonly proveServer: (nonce: string) => string
}
