// The composition root: it turns a Config into a running gateway. Only this folder imports every other one.
import { createAdminTokenCheck, createMetricsTokenCheck } from '../admin/check-admin-token.ts'
import type { ConfigState } from '../admin/config/live-config.ts'
import type { CreatedKey } from '../admin/keys/key-contract.ts'
import type { FirstOwnerLink } from '../admin/people/manage-links.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import type { ListenAddress } from '../kit/net/listen-address-schema.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { Clock, ReportFault } from '../kit/time/clock.ts'
import { createConsoleFiles } from '../server/console/console-files.ts'
import { SocketSet } from '../server/sockets/socket-set.ts'
import type { FirstKeyFile, FirstOwnerFile } from '../storage/files/secret-files.ts'
import type { ThreadSource } from '../storage/sqlite/program-thread.ts'
import type { Observer } from '../telemetry/observer.ts'
import { createAdminApi } from './admin-api.ts'
import { announceServer } from './announce-server.ts'
import { createApply } from './apply-configuration.ts'
import { builtConsole, type ConsoleBuild, findConsoleUrl } from './console-build.ts'
import { callerFormats } from './formats.ts'
import { followChanges } from './nodes/follow-changes.ts'
import { createNodeSource, describeNode, type OwnNode } from './nodes/node-source.ts'
import { openListeners } from './open-listeners.ts'
import { openServing, type Serving } from './open-serving.ts'
import { openStores, type Stores } from './open-stores.ts'
import { createReload, type Reload } from './reload.ts'
import { joinMetrics, type MetricsDump, type ProcessPart } from './workers/process-part.ts'

export interface App extends Reload {
  readonly address: ListenAddress
  /** The address at which callers on this machine reach the gateway, without a trailing slash. */
  readonly url: string
  /** The address of the admin API and the metrics; undefined if they are not served. */
  readonly adminAddress: ListenAddress | undefined
  /** The address of the console in a browser; undefined if it is not served. */
  readonly consoleUrl: string | undefined
  /** The first key, if this start created it. It is also in the file. */
  readonly firstKey: CreatedKey | undefined
  /** The link with which a person becomes the first owner. Set if there is no owner and people can sign in. */
  readonly firstOwner: FirstOwnerLink | undefined
  /** The file with the secret of that link, in the data folder. Only its owner can read it. */
  readonly firstOwnerFile: Pick<FirstOwnerFile, 'path' | 'remove'>
  readonly catalog: CatalogSource
  /**
   * The file with the first key, in the data folder. Only its owner can read it. It stays until an operator who has
   * seen the key removes it.
   */
  readonly firstKeyFile: Pick<FirstKeyFile, 'path' | 'isThere' | 'remove'>
  /** The configuration in force: the file, together with the changes that the admin API stores. */
  configuration(): ConfigState
  /** Logs a fault after which the process must end. */
  reportFault: ReportFault
  /** Continues to answer on open connections, and closes each of them with its next answer. */
  retire(): void
  /** The number of requests in progress. */
  activeCount(): number
  /** The metrics of only this process, as plain data. */
  dumpMetrics(): Promise<MetricsDump>
  /** Refuses new requests, lets answers in progress finish within the limit, then closes everything. */
  close(drainLimitMs: number): Promise<void>
}

export interface AppOptions {
  readonly config: Config
  readonly version: string
  /** Standard error, for faults of the log itself. */
  readonly printError: (line: string) => void
  /**
   * The clock for waits and deadlines of requests. The default is the system's clock. Tests use one that runs faster.
   */
  readonly clock?: Clock
  /** The console. The default is the one that was built. */
  readonly consoleBuild?: ConsoleBuild
  /** The source of loaded threads for the data folder, if any. */
  readonly threads?: ThreadSource | undefined
  /** The role of this process among several on its machine; undefined if it is the only one. */
  readonly part?: ProcessPart | undefined
  /** The log file. The default is standard output. */
  readonly logFile?: string | undefined
}

/** Starts the gateway. If a step fails, the parts opened before are closed again. */
export async function openApp(options: AppOptions): Promise<App> {
  await using cleanup = new AsyncDisposableStack()
  const stores = await openStores(options, cleanup)
  const served = await openServing(stores, options, cleanup)
  const serving = { ...served, node: describeNode(stores, served) }
  const listeners = await listen(stores, serving, options)
  cleanup.defer(() => listeners.close())
  const { folder, keys, liveConfig } = stores
  const first = await announceServer(options.part, { stores, people: serving.people, listeners }, cleanup)
  const open = cleanup.move()
  const { pipeline, telemetry, metering, gate } = serving
  const apply = createApply({
    pipeline,
    registry: keys.registry,
    listeners,
    metering,
    telemetry,
    captures: serving.captures,
    server: folder.server,
  })
  liveConfig.serve({ apply, preview: pipeline.preview })
  const { shared } = stores
  if (shared !== undefined)
    open.use(
      await followChanges(shared, { keys, liveConfig, metering, telemetry, figures: serving.node.figures }),
    )
  metering.readAhead()
  return {
    address: listeners.callers.address,
    url: listeners.callers.url,
    adminAddress: listeners.admin?.address,
    consoleUrl: findConsoleUrl(options.config, listeners),
    ...first,
    catalog: pipeline.catalog,
    firstKeyFile: folder.secrets.firstKey,
    firstOwnerFile: folder.secrets.firstOwner,
    ...createReload(options.config, stores),
    configuration: liveConfig.state,
    reportFault: telemetry.reportFault,
    retire: () => listeners.retire(),
    activeCount: () => gate.active,
    dumpMetrics: () => telemetry.metrics.dump(),
    async close(drainLimitMs) {
      metering.queue.closeBy(telemetry.clock.monotonicMs() + drainLimitMs)
      await serving.internalRequests.close()
      const drained = gate.drain(drainLimitMs)
      shared?.node.refresh()
      await drained
      await open.disposeAsync()
    },
  }
}

interface ServingNode extends Serving {
  readonly node: OwnNode
}

function listen(stores: Stores, serving: ServingNode, options: AppOptions) {
  const { folder, adminToken, metricsToken } = stores
  const { telemetry, pipeline, watch, deadBuffers, gate, people } = serving
  const { consoleBuild = builtConsole, part } = options
  const { metrics, observer, reportFault, clock } = telemetry
  const { callerAccess, serve, realtime } = pipeline
  const { config } = stores.liveConfig.state()
  const checkAdmin = createAdminTokenCheck(config.admin.type === 'off' ? '' : adminToken)
  const adminRoutes = joinAdminApi(stores, serving, options)
  const sockets = new SocketSet(clock, reportFault)
  metrics.watchSockets(() => sockets.size)
  return openListeners(
    config,
    {
      ...pipeline,
      metrics: joinMetrics(metrics, part),
      gate,
      clock,
      adminRoutes,
      proveServer: folder.server.prove,
      isReady: serving.node.isReady,
      consolePages: { ...consoleBuild, files: createConsoleFiles(consoleBuild.folder) },
    },
    {
      callerAccess,
      serve,
      realtime,
      formats: callerFormats,
      gate,
      observer: observeRefusals(observer, pipeline.redact),
      reportFault,
      clock,
      watch,
      deadBuffers,
      checkAdmin,
      admitOperator: people.admit(checkAdmin),
      sockets,
      random: systemRandom,
      checkMetrics: createMetricsTokenCheck([metricsToken, adminToken]),
      sources: part?.sources,
      relay: part?.relay,
    },
  )
}

/** Observes requests that do not reach the pipeline. Their paths and causes may quote keys, too. */
function observeRefusals(observer: Observer, redact: (text: string) => string): Observer {
  return {
    requestEnded(row) {
      const cause = row.cause === undefined ? undefined : redact(row.cause)
      observer.requestEnded({ ...row, path: redact(row.path), cause })
    },
  }
}

function joinAdminApi(
  { keys, liveConfig, shared, ...stores }: Stores,
  { telemetry, metering, pipeline, people, internalRequests, captures, node }: ServingNode,
  { version }: AppOptions,
) {
  const { state } = liveConfig
  const { clock, storedLog } = telemetry
  return createAdminApi({
    keys,
    state,
    storedLog,
    metering,
    clock,
    version,
    configuration: { ...stores, liveConfig },
    health: pipeline.health,
    catalog: pipeline.catalog,
    dataFolder: state().config.dataFolder,
    people: people.operations,
    signOn: people.signOn,
    explain: pipeline.explain,
    alerts: telemetry.alerts,
    internalRoutes: internalRequests.routes,
    captures: captures.archive,
    nodes: createNodeSource({ shared, figures: node.figures, version, clock }),
    isInDatabase: state().config.database !== undefined,
  })
}
