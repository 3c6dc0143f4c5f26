// The composition root: a Config in, a running gateway out. The only file that knows everyone.
import type { Authenticator } from './access/authenticate.ts'
import { createClientAddressReader } from './access/client-address.ts'
import { createAdminRoutes } from './admin/admin-routes.ts'
import { createAdminTokenCheck } from './admin/check-admin-token.ts'
import type { CreatedKey } from './admin/contract.ts'
import { makeFirstKey } from './admin/make-first-key.ts'
import type { CatalogSource } from './catalog/catalog.ts'
import { createCatalogHolder } from './catalog/catalog-holder.ts'
import type { Channel } from './catalog/channel.ts'
import { createCatalog } from './catalog/create-catalog.ts'
import { createModelLists, type FetchModelList } from './catalog/model-lists.ts'
import type { Config } from './config/config.ts'
import { systemClock } from './kit/clock.ts'
import { systemRandom } from './kit/random.ts'
import { openDataFolder } from './open-data-folder.ts'
import { createDeadlineWatch } from './pipeline/deadline-watch.ts'
import { createModelListFetcher } from './pipeline/fetch-model-list.ts'
import { createFrontDoor } from './pipeline/front-door.ts'
import { createHandleExchange } from './pipeline/handle-exchange.ts'
import { providerRegistry } from './providers/registry.ts'
import { createCallerRoutes, createOperatorRoutes, type RouteParts } from './server/create-routes.ts'
import { createDrainGate } from './server/drain-gate.ts'
import type { ListenerParts } from './server/listener-parts.ts'
import { type ListenAddress, type Listener, openListener } from './server/open-listener.ts'
import { openDemoUpstream } from './simulator/demo-upstream.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import type { Observer } from './telemetry/observer.ts'
import { openLogOutput } from './telemetry/open-log-output.ts'
import { createRedactor } from './telemetry/redact.ts'
import { createRequestLog } from './telemetry/request-log.ts'
import { openUpstream } from './upstream/open-upstream.ts'
import { chatFormat } from './wire/chat/chat-format.ts'
import { countTokensFormat } from './wire/count-tokens/count-tokens-format.ts'
import { embeddingsFormat } from './wire/embeddings/embeddings-format.ts'
import { messagesFormat } from './wire/messages/messages-format.ts'

export interface App {
  readonly address: ListenAddress
  /** Where the admin API and the metrics are; undefined where nothing serves them. */
  readonly adminAddress: ListenAddress | undefined
  /** Only where this start made the first key of the installation. */
  readonly firstKey: CreatedKey | undefined
  readonly catalog: CatalogSource
  /** Leaves a secret in a file of the data folder that only its owner can read; answers with the path. */
  leaveFirstKey(secret: string): string
  /** Refuses what is new, lets live answers finish within the limit, then closes everything. */
  close(drainLimitMs: number): Promise<void>
}

export interface AppOptions {
  readonly config: Config
  readonly version: string
}

const formats = { chat: chatFormat, messages: messagesFormat }
const callerFormats = { ...formats, embeddings: embeddingsFormat, 'count-tokens': countTokensFormat }

/** Starts everything. What was opened is closed again where a later step fails. */
export async function openApp({ config, version }: AppOptions): Promise<App> {
  await using cleanup = new AsyncDisposableStack()
  const folder = openDataFolder(config.dataFolder, { clock: systemClock, random: systemRandom })
  const keys = await folder.openKeys(config.keys)
  cleanup.defer(() => keys.close())
  const adminToken = config.adminToken ?? folder.secrets.adminToken()
  const telemetry = startTelemetry(config, cleanup)
  const way = await startWay({ config, version, telemetry, authenticator: keys.registry }, cleanup)
  const gate = createDrainGate({ clock: systemClock, onActiveChange: telemetry.metrics.setActive })
  const routeParts = {
    ...way,
    formats: callerFormats,
    metrics: telemetry.metrics,
    gate,
    adminRoutes: createAdminRoutes({ keys: keys.operations, version }),
  }
  const listeners = await openListeners(config, routeParts, {
    frontDoor: way.frontDoor,
    formats: callerFormats,
    gate,
    observer: telemetry.observer,
    clock: systemClock,
    checkAdmin: createAdminTokenCheck(adminToken),
    limits: config.limits,
  })
  cleanup.defer(() => closeAll(listeners))
  if (listeners.admin !== undefined) {
    folder.server.write({ pid: process.pid, adminUrl: urlOf(listeners.admin.address) })
    cleanup.defer(() => folder.server.remove())
  }
  const firstKey = await makeFirstKey(keys.operations)
  const open = cleanup.move()
  return {
    address: listeners.callers.address,
    adminAddress: listeners.admin?.address,
    firstKey,
    catalog: way.catalog,
    leaveFirstKey: (secret) => folder.secrets.writeFirstKey(secret),
    async close(drainLimitMs) {
      await gate.drain(drainLimitMs)
      await open.disposeAsync()
    },
  }
}

interface Telemetry {
  readonly metrics: Metrics
  readonly observer: Observer
}

function startTelemetry(config: Config, cleanup: AsyncDisposableStack): Telemetry {
  const output = openLogOutput(systemClock)
  cleanup.defer(() => output.close())
  const metrics = createMetrics()
  const requestLog = createRequestLog({ level: config.log.level, destination: output, clock: systemClock })
  return {
    metrics,
    observer: {
      requestEnded(row) {
        requestLog.requestEnded(row)
        metrics.requestEnded(row)
      },
    },
  }
}

interface WayParts extends AppOptions {
  readonly telemetry: Telemetry
  readonly authenticator: Authenticator
}

/** The way of a request: who may come in, what can be served, and how it is answered. */
async function startWay(
  { config, version, telemetry, authenticator }: WayParts,
  cleanup: AsyncDisposableStack,
) {
  const upstream = openUpstream()
  cleanup.defer(() => upstream.close())
  const userAgent = `headgate/${version}`
  const channels = await startDemo(config.channels, cleanup)
  const fetchList = createModelListFetcher({ upstream, providers: providerRegistry, userAgent })
  const catalog = await startCatalog({ ...config, channels }, cleanup, fetchList)
  return {
    catalog,
    frontDoor: createFrontDoor({
      authenticator,
      catalog,
      findAddress: createClientAddressReader(config.trustedProxies),
    }),
    handleExchange: createHandleExchange({
      catalog,
      providers: providerRegistry,
      formats,
      upstream,
      observer: telemetry.observer,
      redactor: createRedactor(secretsOf(config)),
      clock: systemClock,
      watch: createDeadlineWatch(systemClock),
      random: systemRandom,
      retry: config.retry,
      heartbeat: config.heartbeat,
      userAgent,
    }),
  }
}

/** Gives the built-in provider's channels the address of a demo upstream that this starts for them. */
async function startDemo(
  channels: readonly Channel[],
  cleanup: AsyncDisposableStack,
): Promise<readonly Channel[]> {
  const isBuiltIn = ({ provider }: Channel) => providerRegistry.find(provider)?.builtIn === true
  if (!channels.some(isBuiltIn)) return channels
  const demo = await openDemoUpstream({ clock: systemClock })
  cleanup.defer(() => demo.close())
  return channels.map((channel) =>
    isBuiltIn(channel) ? { ...channel, baseUrl: demo.baseUrl, allowPrivate: true } : channel,
  )
}

async function startCatalog(
  { channels, models }: Pick<Config, 'channels' | 'models'>,
  cleanup: AsyncDisposableStack,
  fetchList: FetchModelList,
): Promise<CatalogSource> {
  const createdAtSeconds = Math.floor(systemClock.nowMs() / 1_000)
  const snapshot = (lists: ReadonlyMap<string, readonly string[]>) =>
    createCatalog({ channels, entries: models, lists, createdAtSeconds })
  const holder = createCatalogHolder(snapshot(new Map()))
  const lists = createModelLists({
    channels,
    fetchList,
    clock: systemClock,
    onChange: (known) => holder.replace(snapshot(known)),
  })
  cleanup.defer(() => lists.close())
  await lists.start()
  return holder
}

interface Listeners {
  readonly callers: Listener
  readonly admin: Listener | undefined
  readonly all: readonly Listener[]
}

async function openListeners(
  config: Config,
  routeParts: RouteParts,
  parts: Omit<ListenerParts, 'routes'>,
): Promise<Listeners> {
  const callerRoutes = createCallerRoutes(routeParts)
  const operatorRoutes = createOperatorRoutes(routeParts)
  if (config.admin.type === 'own') {
    const admin = await openListener({ ...parts, routes: operatorRoutes }, config.admin.listen)
    try {
      const callers = await openListener({ ...parts, routes: callerRoutes }, config.listen)
      return { callers, admin, all: [callers, admin] }
    } catch (error) {
      await admin.close()
      throw error
    }
  }
  const routes = config.admin.type === 'shared' ? [...callerRoutes, ...operatorRoutes] : callerRoutes
  const callers = await openListener({ ...parts, routes }, config.listen)
  return { callers, admin: config.admin.type === 'shared' ? callers : undefined, all: [callers] }
}

async function closeAll({ all }: Listeners): Promise<void> {
  await Promise.all(all.map((listener) => listener.close()))
}

function secretsOf({ channels, adminToken }: Config): string[] {
  const secrets = channels.flatMap(({ credentials }) => credentials.map(({ secret }) => secret))
  return adminToken === undefined ? secrets : [...secrets, adminToken]
}

/** The address as a client on this machine would write it. */
export function urlOf({ host, port }: ListenAddress): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
