// The composition root: a Config in, a running gateway out. The only file that knows everyone.
import { createSecretKey } from 'node:crypto'
import { createClientAddressReader } from './access/client-address.ts'
import { createKeyRegistry, type KeyRegistry } from './access/key-registry.ts'
import { makeBootstrapKey } from './access/make-key.ts'
import { createAdminRoutes } from './admin/admin-routes.ts'
import { createAdminTokenCheck } from './admin/check-admin-token.ts'
import type { CreatedKey, KeyOperations } from './admin/contract.ts'
import { makeFirstKey } from './admin/make-first-key.ts'
import { createKeyOperations } from './admin/manage-keys.ts'
import type { CatalogSource } from './catalog/catalog.ts'
import { createCatalogHolder } from './catalog/catalog-holder.ts'
import type { Channel } from './catalog/channel.ts'
import { createCatalog } from './catalog/create-catalog.ts'
import { createModelLists } from './catalog/model-lists.ts'
import type { Config } from './config/config.ts'
import { systemClock } from './kit/clock.ts'
import { systemRandom } from './kit/random.ts'
import { createModelListFetcher } from './pipeline/fetch-model-list.ts'
import { createFrontDoor } from './pipeline/front-door.ts'
import { createHandleExchange } from './pipeline/handle-exchange.ts'
import { providerRegistry } from './providers/registry.ts'
import { createCallerRoutes, createOperatorRoutes, type RouteParts } from './server/create-routes.ts'
import { createDrainGate } from './server/drain-gate.ts'
import type { ListenerParts } from './server/listener-parts.ts'
import { type ListenAddress, type Listener, openListener } from './server/open-listener.ts'
import { openDemoUpstream } from './simulator/demo-upstream.ts'
import { openKeyStore } from './storage/open-key-store.ts'
import { createSecretFiles, type SecretFiles } from './storage/secret-files.ts'
import { createServerFile } from './storage/server-file.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { createRedactor } from './telemetry/redact.ts'
import { createLogger, createRequestLog } from './telemetry/request-log.ts'
import { openUpstream } from './upstream/open-upstream.ts'
import { chatFormat } from './wire/chat/chat-format.ts'
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

/** Starts everything. What was opened is closed again where a later step fails. */
export async function openApp({ config, version }: AppOptions): Promise<App> {
  await using cleanup = new AsyncDisposableStack()
  const desk = await openKeyDesk(config)
  cleanup.defer(() => desk.close())
  const logger = createLogger({ level: config.log.level })
  cleanup.defer(() => new Promise<void>((resolve) => logger.flush(() => resolve())))
  const upstream = openUpstream()
  cleanup.defer(() => upstream.close())
  const userAgent = `headgate/${version}`
  const channels = await startDemo(config.channels, cleanup)
  const catalog = startCatalog({ ...config, channels }, cleanup, {
    fetchList: createModelListFetcher({ upstream, providers: providerRegistry, userAgent }),
  })
  await catalog.started
  const metrics = createMetrics()
  const requestLog = createRequestLog(logger)
  const observer = {
    requestEnded(row: Parameters<typeof requestLog.requestEnded>[0]) {
      requestLog.requestEnded(row)
      metrics.requestEnded(row)
    },
  }
  const gate = createDrainGate({ clock: systemClock, onActiveChange: metrics.setActive })
  const frontDoor = createFrontDoor({
    authenticator: desk.registry,
    catalog: catalog.holder,
    findAddress: createClientAddressReader(config.trustedProxies),
  })
  const handleExchange = createHandleExchange({
    catalog: catalog.holder,
    providers: providerRegistry,
    formats,
    upstream,
    observer,
    redactor: createRedactor(secretsOf(config)),
    clock: systemClock,
    random: systemRandom,
    retry: config.retry,
    heartbeat: config.heartbeat,
    userAgent,
  })
  const routeParts = {
    frontDoor,
    handleExchange,
    formats,
    metrics,
    gate,
    adminRoutes: createAdminRoutes({ keys: desk.operations, version }),
  }
  const listeners = await openListeners(config, routeParts, {
    frontDoor,
    formats,
    gate,
    observer,
    clock: systemClock,
    checkAdmin: createAdminTokenCheck(config.adminToken ?? desk.secretFiles.adminToken()),
    limits: config.limits,
  })
  cleanup.defer(() => closeAll(listeners))
  const serverFile = createServerFile(config.dataFolder)
  if (listeners.admin !== undefined) {
    serverFile.write({ pid: process.pid, adminUrl: urlOf(listeners.admin.address) })
    cleanup.defer(() => serverFile.remove())
  }
  const firstKey = await makeFirstKey(desk.operations)
  const open = cleanup.move()
  return {
    address: listeners.callers.address,
    adminAddress: listeners.admin?.address,
    firstKey,
    catalog: catalog.holder,
    leaveFirstKey: (secret) => desk.secretFiles.writeFirstKey(secret),
    async close(drainLimitMs) {
      await gate.drain(drainLimitMs)
      await open.disposeAsync()
    },
  }
}

export interface KeyDesk {
  readonly operations: KeyOperations
  readonly registry: KeyRegistry
  readonly secretFiles: SecretFiles
  close(): Promise<void>
}

/** Opens the keys of a data folder: the store, the keys in memory and what can be done with them. */
export async function openKeyDesk(
  config: Pick<Config, 'dataFolder'> & Partial<Pick<Config, 'keys'>>,
): Promise<KeyDesk> {
  const { store, close } = await openKeyStore(config.dataFolder)
  try {
    const secretFiles = createSecretFiles(config.dataFolder, systemRandom)
    const hasKeys = (await store.list()).length > 0
    const pepper = createSecretKey(secretFiles.pepper(hasKeys ? 'refuse' : 'make'))
    const maker = { pepper, clock: systemClock, random: systemRandom }
    if (config.keys !== undefined) {
      const bootstrap = config.keys.map((key) => makeBootstrapKey(key, maker))
      await store.replaceBootstrap(bootstrap, systemClock.nowMs())
    }
    const registry = createKeyRegistry({ keys: await store.list(), pepper, clock: systemClock })
    return { operations: createKeyOperations({ store, registry, maker }), registry, secretFiles, close }
  } catch (error) {
    await close()
    throw error
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

function startCatalog(
  { channels, models }: Pick<Config, 'channels' | 'models'>,
  cleanup: AsyncDisposableStack,
  { fetchList }: { readonly fetchList: ReturnType<typeof createModelListFetcher> },
) {
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
  return { holder, started: lists.start() }
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
