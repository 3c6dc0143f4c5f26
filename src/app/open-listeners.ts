// The listeners of callers and operators, and the settings that a new configuration can change while they are open.
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { DeadBuffers } from '../kit/memory/dead-buffers.ts'
import { isLoopback, type ListenAddress } from '../kit/net/listen-address-schema.ts'
import { BodyBudget, type BodyCapacity } from '../server/body/body-budget.ts'
import type { ConnectionSource } from '../server/handed/connection-source.ts'
import type { ListenerOptions } from '../server/listener/listener-options.ts'
import { type Listener, openListener } from '../server/listener/open-listener.ts'
import { createCallerRoutes, createOperatorRoutes } from '../server/routes/create-routes.ts'
import type { RouteOptions } from '../server/routes/route-options.ts'
import { callerSocketRoutes } from '../server/routes/socket-routes.ts'
import { openSpool, type Spool } from '../uploads/open-spool.ts'

import { type ListenSetting, listenError } from './listen-error.ts'

/** A listening address, as a client on this machine reaches it. */
export interface Endpoint {
  readonly address: ListenAddress
  readonly url: string
}

export interface Listeners {
  readonly callers: Endpoint
  /** The endpoint of the admin API and the metrics; undefined if they are not served. */
  readonly admin: Endpoint | undefined
  /**
   * The SHA-256 of the certificate that is used with this configuration, in the spelling of OpenSSL; undefined for
   * plain HTTP.
   */
  certificateOf(config: Config): string | undefined
  /** Applies the limits and the certificate of another configuration. */
  change(config: Config): void
  /** Answers the requests on open connections, and closes each connection with its answer. */
  retire(): void
  close(): Promise<void>
}

interface Wanted {
  readonly setting: ListenSetting
  readonly address: ListenAddress
  readonly isSecure: boolean
}

/** The connections of one of several processes. */
export interface ListenerSources {
  /** The source of the connections to an address; undefined if another process answers all of them. */
  readonly of: (setting: ListenSetting) => ConnectionSource | undefined
  /** The name of this process's own folder for uploads. */
  readonly uploads: string
  /** The port of an address, even if another process answers its connections. */
  readonly portOf: (setting: ListenSetting) => number
}

type SharedOptions = Omit<
  ListenerOptions,
  'routes' | 'socketRoutes' | 'webSocket' | 'limits' | 'bodies' | 'uploads' | 'spool' | 'adminHosts'
> & {
  readonly deadBuffers: DeadBuffers
  /** Undefined for a process that opens its own listeners. */
  readonly sources: ListenerSources | undefined
}

/**
 * Opens both listeners or none. Fails with `OperatorError`. A listener for the admin API on loopback needs no
 * encryption. On other addresses it uses that of the callers' listener.
 */
export async function openListeners(
  config: Config,
  routeOptions: Omit<RouteOptions, 'adminHosts'>,
  shared: SharedOptions,
): Promise<Listeners> {
  await using cleanup = new AsyncDisposableStack()
  const set = new ListenerSet(config, shared)
  cleanup.defer(() => set.close())
  const isSecure = config.tls !== undefined
  const allRouteOptions = { ...routeOptions, adminHosts: () => set.access }
  const operatorRoutes = createOperatorRoutes(allRouteOptions)
  const adminListener =
    config.admin.type === 'own'
      ? await set.open(
          { routes: operatorRoutes, socketRoutes: [] },
          {
            setting: 'admin.listen',
            address: config.admin.listen,
            isSecure: isSecure && !isLoopback(config.admin.listen),
          },
        )
      : undefined
  const isShared = config.admin.type === 'shared'
  const callerRoutes = createCallerRoutes(allRouteOptions)
  const routes = isShared ? [...callerRoutes, ...operatorRoutes] : callerRoutes
  const callers = await set.open(
    { routes, socketRoutes: callerSocketRoutes },
    {
      setting: 'listen',
      address: config.listen,
      isSecure,
    },
  )
  cleanup.move()
  return {
    callers,
    admin: isShared ? callers : adminListener,
    certificateOf: (next) => set.certificateOf(next),
    change: (next) => set.change(next),
    retire: () => set.retire(),
    close: () => set.close(),
  }
}

/** The open listeners, with their shared limits and certificate. */
class ListenerSet {
  readonly #shared: SharedOptions
  readonly #limits: Config['limits']
  readonly #bodies: BodyBudget
  readonly #uploads: BodyBudget
  readonly #spool: Spool
  readonly #listeners: { readonly listener: Listener; readonly isSecure: boolean }[] = []
  readonly #cleanup = new AsyncDisposableStack()
  #tls: Config['tls']
  #access: ReturnType<typeof readAccess>
  #webSocket: Config['webSocket']

  constructor(config: Config, shared: SharedOptions) {
    this.#shared = shared
    // The limits are read for each request and each connection, so that a change takes effect at once.
    this.#limits = { ...config.limits }
    this.#bodies = new BodyBudget(this.#limits, shared.deadBuffers)
    this.#uploads = new BodyBudget(uploadCapacity(this.#limits))
    this.#spool = openSpool(join(config.dataFolder, 'uploads', shared.sources?.uploads ?? ''))
    this.#tls = config.tls
    this.#access = readAccess(config)
    this.#webSocket = config.webSocket
    shared.gate.onDrain(() => shared.sockets.retire('draining'))
  }

  get access() {
    return this.#access
  }

  async open(
    served: Pick<ListenerOptions, 'routes' | 'socketRoutes'>,
    { setting, address, isSecure }: Wanted,
  ): Promise<Endpoint> {
    // A listener that other machines can reach always requires a token, regardless of the configuration.
    const isOpen = () => isLoopback(address) && !this.#access.metricsNeedToken
    const options: ListenerOptions = {
      ...this.#shared,
      ...served,
      webSocket: () => this.#webSocket,
      limits: this.#limits,
      bodies: this.#bodies,
      uploads: this.#uploads,
      spool: this.#spool,
      checkMetrics: (authorization) => isOpen() || this.#shared.checkMetrics(authorization),
      adminHosts: () => this.#access,
    }
    const { sources } = this.#shared
    const source = sources?.of(setting)
    const scheme = isSecure ? 'https' : 'http'
    if (sources !== undefined && source === undefined)
      return describeEndpoint(address, sources.portOf(setting), scheme)
    const identity = isSecure ? this.#tls : undefined
    const opening = openListener(options, { address, identity, source })
    const listener = await opening.catch((cause: unknown) => {
      throw listenError(setting, address.port, cause)
    })
    this.#cleanup.defer(() => listener.close())
    this.#listeners.push({ listener, isSecure })
    return describeEndpoint(address, listener.address.port, scheme)
  }

  retire(): void {
    for (const { listener } of this.#listeners) listener.retire()
  }

  certificateOf(next: Config): string | undefined {
    const shown = this.#identityOf(next)
    return shown === undefined ? undefined : new X509Certificate(shown.cert).fingerprint256
  }

  change(next: Config): void {
    Object.assign(this.#limits, next.limits)
    this.#tls = this.#identityOf(next)
    this.#access = readAccess(next)
    this.#webSocket = next.webSocket
    for (const { listener, isSecure } of this.#listeners) {
      listener.limitConnections()
      if (isSecure && this.#tls !== undefined) listener.replaceIdentity(this.#tls)
    }
  }

  async close(): Promise<void> {
    // A server waits for the connections that it handed over, and does not close them.
    await this.#shared.sockets.close()
    await this.#cleanup.disposeAsync()
  }

  /** Whether TLS is used is decided at the start. It cannot be turned on or off later. */
  #identityOf(next: Config): Config['tls'] {
    return this.#tls === undefined ? undefined : (next.tls ?? this.#tls)
  }
}

/** The host name in the listening address is also accepted. */
function readAccess({ adminAccess, admin, listen, publicUrl }: Config) {
  const adminHost = admin.type === 'own' ? admin.listen.host : listen.host
  return {
    names: new Set([...adminAccess.hosts, adminHost.toLowerCase()]),
    metricsNeedToken: adminAccess.metricsNeedToken,
    secureHost: secureHostOf(publicUrl),
    publicUrl,
  }
}

function secureHostOf(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined
  const { protocol, host } = new URL(publicUrl)
  return protocol === 'https:' ? host : undefined
}

function describeEndpoint({ host }: ListenAddress, port: number, scheme: 'http' | 'https'): Endpoint {
  const address = { host, port }
  return { address, url: urlOf(address, scheme) }
}

/** The URL of an address, as a client on this machine would write it. */
function urlOf({ host, port }: ListenAddress, scheme: 'http' | 'https'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** The capacity for forms, by the current limits. */
function uploadCapacity(limits: Config['limits']): BodyCapacity {
  return {
    get heldBodyBytes() {
      return limits.heldUploadBytes
    },
    get heldBodyBytesOfKey() {
      return limits.heldUploadBytesOfKey
    },
  }
}
