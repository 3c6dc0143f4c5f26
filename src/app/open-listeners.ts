// The listeners of callers and operators, and what of them another configuration can change while they are open.
import { X509Certificate } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { isLoopback, type ListenAddress } from '../kit/net/listen-address-schema.ts'
import { BodyBudget } from '../server/body/body-budget.ts'
import type { ListenerOptions } from '../server/listener/listener-options.ts'
import { type Listener, openListener } from '../server/listener/open-listener.ts'
import { createCallerRoutes, createOperatorRoutes } from '../server/routes/create-routes.ts'
import type { RouteOptions } from '../server/routes/route-options.ts'
import { ListenError } from './listen-error.ts'

/** Where something listens, as a client on this machine reaches it. */
export interface Endpoint {
  readonly address: ListenAddress
  readonly url: string
}

export interface Listeners {
  readonly callers: Endpoint
  /** Where the admin API and the metrics are; undefined where nothing serves them. */
  readonly admin: Endpoint | undefined
  /**
   * The SHA-256 of the certificate that is shown once the configuration is taken over, as OpenSSL writes it; undefined
   * for plain http.
   */
  certificateOf(config: Config): string | undefined
  /** Takes over the limits and the certificate of another configuration. */
  change(config: Config): void
  close(): Promise<void>
}

interface Wanted {
  readonly setting: ListenError['setting']
  readonly address: ListenAddress
  readonly isSecure: boolean
}

type SharedOptions = Omit<ListenerOptions, 'routes' | 'limits' | 'bodies' | 'adminHosts'>

/** Both or neither; fails with `ListenError`. A listener for the admin API on loopback needs no encryption; elsewhere it has the callers'. */
export async function openListeners(
  config: Config,
  routeOptions: RouteOptions,
  options: SharedOptions,
): Promise<Listeners> {
  await using cleanup = new AsyncDisposableStack()
  // Read with every request and every connection, so that a change counts at once.
  const limits = { ...config.limits }
  const bodies = new BodyBudget(limits)
  const all: { readonly listener: Listener; readonly isSecure: boolean }[] = []
  let { tls } = config
  let access = readAccess(config)

  async function open(routes: ListenerOptions['routes'], { setting, address, isSecure }: Wanted) {
    const identity = isSecure ? tls : undefined
    // A listener that others can reach asks for a token whatever the configuration says.
    const isOpen = () => isLoopback(address) && !access.metricsNeedToken
    const checkMetrics: SharedOptions['checkMetrics'] = (authorization) =>
      isOpen() || options.checkMetrics(authorization)
    const adminHosts = () => access
    const opening = openListener(
      { ...options, routes, limits, bodies, checkMetrics, adminHosts },
      address,
      identity,
    )
    const listener = await opening.catch((cause: unknown) => {
      throw new ListenError(setting, address.port, cause)
    })
    cleanup.defer(() => listener.close())
    all.push({ listener, isSecure })
    return { address: listener.address, url: urlOf(listener.address, isSecure ? 'https' : 'http') }
  }

  /** Whether there is encryption at all is decided for good. */
  const identityOf = (next: Config) => (tls === undefined ? undefined : (next.tls ?? tls))

  const isSecure = tls !== undefined
  const operatorRoutes = createOperatorRoutes(routeOptions)
  const own =
    config.admin.type === 'own'
      ? await open(operatorRoutes, {
          setting: 'admin.listen',
          address: config.admin.listen,
          isSecure: isSecure && !isLoopback(config.admin.listen),
        })
      : undefined
  const isShared = config.admin.type === 'shared'
  const callerRoutes = createCallerRoutes(routeOptions)
  const callers = await open(isShared ? [...callerRoutes, ...operatorRoutes] : callerRoutes, {
    setting: 'listen',
    address: config.listen,
    isSecure,
  })
  const opened = cleanup.move()
  return {
    callers,
    admin: isShared ? callers : own,
    certificateOf(next) {
      const shown = identityOf(next)
      return shown === undefined ? undefined : new X509Certificate(shown.cert).fingerprint256
    },
    change(next) {
      Object.assign(limits, next.limits)
      tls = identityOf(next)
      access = readAccess(next)
      for (const { listener, isSecure } of all) {
        listener.limitConnections()
        if (isSecure && tls !== undefined) listener.replaceIdentity(tls)
      }
    },
    close: () => opened.disposeAsync(),
  }
}

/** A listener may be asked by the name that it listens on. */
function readAccess({ adminAccess, admin, listen }: Config) {
  const own = admin.type === 'own' ? admin.listen.host : listen.host
  return {
    names: new Set([...adminAccess.hosts, own.toLowerCase()]),
    metricsNeedToken: adminAccess.metricsNeedToken,
  }
}

/** The address as a client on this machine would write it. */
function urlOf({ host, port }: ListenAddress, scheme: 'http' | 'https'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
