// The listeners of callers and operators, and what of them another configuration can change while they are open.
import { X509Certificate } from 'node:crypto'
import type { Config } from './config/config.ts'
import { isLoopback, type ListenAddress } from './kit/listen-address-schema.ts'
import { BodyBudget } from './server/body-budget.ts'
import { createCallerRoutes, createOperatorRoutes } from './server/create-routes.ts'
import type { ListenerParts } from './server/listener-parts.ts'
import { type Listener, openListener } from './server/open-listener.ts'
import type { RouteParts } from './server/route-parts.ts'

/** Where something listens, as a client on this machine reaches it. */
export interface Place {
  readonly address: ListenAddress
  readonly url: string
}

export interface Listeners {
  readonly callers: Place
  /** Where the admin API and the metrics are; undefined where nothing serves them. */
  readonly admin: Place | undefined
  /** The SHA-256 of the certificate that is shown at this moment, as OpenSSL writes it; undefined for plain http. */
  certificate(): string | undefined
  /** Takes over the limits and the certificate of another configuration. */
  change(config: Config): void
  close(): Promise<void>
}

type Parts = Omit<ListenerParts, 'routes' | 'limits' | 'bodies'>

/** Both or neither. A listener for the admin API on loopback needs no encryption; elsewhere it has the callers'. */
export async function openListeners(
  config: Config,
  routeParts: RouteParts,
  parts: Parts,
): Promise<Listeners> {
  await using cleanup = new AsyncDisposableStack()
  // Read with every request and every connection, so that a change counts at once.
  const limits = { ...config.limits }
  const bodies = new BodyBudget(limits)
  const all: { readonly listener: Listener; readonly isSecure: boolean }[] = []
  let { tls } = config

  async function open(routes: ListenerParts['routes'], address: ListenAddress, isSecure: boolean) {
    const listener = await openListener(
      { ...parts, routes, limits, bodies },
      address,
      isSecure ? tls : undefined,
    )
    cleanup.defer(() => listener.close())
    all.push({ listener, isSecure })
    return { address: listener.address, url: urlOf(listener.address, isSecure ? 'https' : 'http') }
  }

  const isSecure = tls !== undefined
  const operatorRoutes = createOperatorRoutes(routeParts)
  const own =
    config.admin.type === 'own'
      ? await open(operatorRoutes, config.admin.listen, isSecure && !isLoopback(config.admin.listen))
      : undefined
  const isShared = config.admin.type === 'shared'
  const callerRoutes = createCallerRoutes(routeParts)
  const callers = await open(
    isShared ? [...callerRoutes, ...operatorRoutes] : callerRoutes,
    config.listen,
    isSecure,
  )
  const opened = cleanup.move()
  return {
    callers,
    admin: isShared ? callers : own,
    certificate: () => (tls === undefined ? undefined : new X509Certificate(tls.cert).fingerprint256),
    change(next) {
      Object.assign(limits, next.limits)
      if (tls !== undefined && next.tls !== undefined) tls = next.tls
      for (const { listener, isSecure } of all) {
        listener.limitConnections()
        if (isSecure && tls !== undefined) listener.replaceIdentity(tls)
      }
    },
    close: () => opened.disposeAsync(),
  }
}

/** The address as a client on this machine would write it. */
function urlOf({ host, port }: ListenAddress, scheme: 'http' | 'https'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
