import type { HealthSource } from '../admin/health-routes.ts'
import { createDeadBuffers, type DeadBuffers } from '../kit/memory/dead-buffers.ts'
import type { Clock } from '../kit/time/clock.ts'
import { createDeadlineWatch, type DeadlineWatch } from '../pipeline/response/deadline-watch.ts'
import { createDrainGate, type DrainGate } from '../server/drain-gate.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { type OpenCaptures, openCaptures } from './capture/open-captures.ts'
import { channelFormats } from './formats.ts'
import { type InternalRequests, openInternalRequests } from './internal-requests/open-internal-requests.ts'
import type { Telemetry } from './monitoring/start-telemetry.ts'
import { type Metering, openMetering } from './open-metering.ts'
import { openServedPeople, type People } from './open-people.ts'
import { openPipeline } from './open-pipeline.ts'
import type { Stores } from './open-stores.ts'
import { watchCatalog } from './watch-catalog.ts'
import { findPeers } from './workers/find-peers.ts'
import { startPartTelemetry } from './workers/forward-alerts.ts'
import type { ProcessPart } from './workers/process-part.ts'
import { shareHealthOf } from './workers/share-health-of.ts'

export interface Serving {
  readonly telemetry: Telemetry
  readonly metering: Metering
  readonly pipeline: Awaited<ReturnType<typeof openPipeline>>
  readonly watch: DeadlineWatch
  readonly deadBuffers: DeadBuffers
  readonly gate: DrainGate
  readonly people: People
  readonly internalRequests: InternalRequests
  readonly captures: OpenCaptures
}

interface ServingOptions {
  readonly version: string
  readonly printError: (line: string) => void
  readonly clock?: Clock
  readonly part?: ProcessPart | undefined
  readonly logFile?: string | undefined
}

/** Opens the parts that answer requests, and those that observe them. */
export async function openServing(
  { liveConfig, keys, sealedStores, ...stores }: Stores,
  { version, printError, clock: ownClock, part, logFile }: ServingOptions,
  cleanup: AsyncDisposableStack,
): Promise<Serving> {
  const { config } = liveConfig.state()
  const peers = findPeers(part, stores.shared)
  const telemetry = await startPartTelemetry(
    { part, shared: stores.shared },
    { config, alertStore: keys.alerts, folder: stores.folder, version, printError, clock: ownClock, logFile },
    cleanup,
  )
  const { metrics, observer, reportFault, clock } = telemetry
  const watch = createDeadlineWatch(clock, reportFault)
  const deadBuffers = createDeadBuffers()
  const ownSecrets = [stores.adminToken, stores.metricsToken]
  const captures = await openCaptures(
    {
      ...stores.folder,
      config,
      key: sealedStores.captureKey,
      telemetry,
      ownSecrets: [...ownSecrets, stores.secret],
    },
    cleanup,
  )
  const metering = await openMetering({ ...stores, config, creditStore: keys.credits, telemetry }, cleanup)
  const pipeline = await openPipeline(
    {
      config,
      version,
      secret: stores.secret,
      ownSecrets,
      formats: channelFormats,
      observer,
      authenticator: keys.registry,
      watch,
      deadBuffers,
      ...shareHealthOf(peers, { telemetry, store: keys.health }),
      onHealthCheck: metrics.healthChecked,
      clock,
      reportFault,
      sealedStores,
      warn: telemetry.warn,
      metering,
      captures: captures.captures,
    },
    cleanup,
  )
  watchCatalog({ keys, peers, state: liveConfig.state, pipeline, metering, telemetry }, cleanup)
  const gate = createDrainGate({ clock })
  watchServing(metrics, { health: pipeline.health, gate, clock })
  const people = await openServedPeople({ ...stores, keys, liveConfig }, telemetry)
  cleanup.defer(() => people.close())
  const internalRequests = openInternalRequests(
    { pipeline, keys, liveConfig, gate, clock, reportFault },
    cleanup,
  )
  return { telemetry, metering, pipeline, watch, deadBuffers, gate, people, internalRequests, captures }
}

interface Watched {
  readonly health: HealthSource
  readonly gate: DrainGate
  readonly clock: Clock
}

function watchServing(metrics: Metrics, { health, gate, clock }: Watched): void {
  metrics.watchHealth(() => ({
    lines: health.report(clock.monotonicMs()),
    channels: health.channels(),
    waiting: health.waiting()?.count ?? 0,
  }))
  metrics.watchActive(() => gate.active)
}
