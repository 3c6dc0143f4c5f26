// The access to upstreams: the connections, the authorization of calls, and the lists of models.

import type { Channel } from '../catalog/channel.ts'
import type { Config } from '../config/config.ts'
import { listSecrets } from '../config/secrets/list-secrets.ts'
import type { DeadBuffers } from '../kit/memory/dead-buffers.ts'
import type { Clock } from '../kit/time/clock.ts'
import { createModelListFetcher } from '../pipeline/fetch-model-list.ts'
import { bindAuthorizers, providerRegistry } from '../providers/registry.ts'
import { openDemoUpstream } from '../simulator/demo-upstream.ts'
import { createRedactor, joinRedactors } from '../telemetry/redact.ts'
import { createAuthorizedUpstream } from '../upstream/authorized-upstream.ts'
import { defaultUpstreamOptions, openUpstream } from '../upstream/open-upstream.ts'
import { createAuthorizerOptions } from './create-authorizer-options.ts'
import { serveCatalog } from './serve-catalog.ts'

export interface UpstreamAccessOptions {
  readonly config: Config
  readonly version: string
  /** Tokens of this installation that are not in a configuration. */
  readonly ownSecrets: readonly string[]
  readonly clock: Clock
  readonly deadBuffers: DeadBuffers
  readonly warn: (message: string) => void
}

export type UpstreamAccess = ReturnType<typeof openUpstreamAccess>

export function openUpstreamAccess(options: UpstreamAccessOptions, cleanup: AsyncDisposableStack) {
  const { config, version, ownSecrets, clock, deadBuffers, warn } = options
  const upstream = createAuthorizedUpstream(openUpstream({ ...defaultUpstreamOptions, deadBuffers }))
  cleanup.defer(() => upstream.close())
  const userAgent = `headgate/${version}`
  const redactor = createRedactor(ownSecrets)
  const authorizers = createAuthorizerOptions({ config, upstream, redactor, clock })
  const providers = bindAuthorizers(providerRegistry, authorizers)
  const fetchList = createModelListFetcher({ upstream, providers, userAgent })
  const catalog = serveCatalog({
    fetchList,
    clock,
    onListFailure: (channel, reason) =>
      warn(
        `channel ${channel}: its list of models could not be read (${redactor.redact(reason)}); Headgate asks again`,
      ),
  })
  cleanup.defer(() => catalog.close())
  const reachDemo = createDemoChannels(clock, cleanup)
  return {
    upstream,
    userAgent,
    redactor,
    providers,
    fetchList,
    catalog,
    /**
     * Prepares the catalog of another configuration. Channels of the built-in provider get the demo upstream's address.
     */
    async prepare(next: Config) {
      // The redactor gets the secrets before the first request to an upstream, since the answer may contain them.
      for (const secret of listSecrets(next)) redactor.add(secret)
      const { models, findKnownModel } = next
      return catalog.prepare({ channels: await reachDemo(next.channels), models, findKnownModel })
    },
    /** Opens one channel of a configuration that may never be in force. The caller must close the catalog. */
    async openApart({ findKnownModel, ...next }: Config, channelName: string) {
      const apart = serveCatalog({ fetchList, clock, onListFailure: () => undefined })
      const prepared = await apart.prepare({
        channels: await reachDemo(next.channels.filter(({ name }) => name === channelName)),
        models: next.models.filter(({ targets }) => targets === undefined),
        findKnownModel,
      })
      prepared.apply()
      const ofNext = createRedactor(listSecrets({ ...next, findKnownModel }))
      return { catalog: apart, redactor: joinRedactors(redactor, ofNext) }
    },
  }
}

/**
 * Gives channels of the built-in provider the address of a demo upstream. It is started for the first of these
 * channels.
 */
function createDemoChannels(clock: Clock, cleanup: AsyncDisposableStack) {
  // The stack of the start accepts nothing after the start, and the first such channel may be added later.
  const opened = cleanup.use(new AsyncDisposableStack())
  let demo: ReturnType<typeof openDemoUpstream> | undefined
  const isBuiltIn = ({ provider }: Channel) => providerRegistry.find(provider)?.isBuiltIn === true

  async function open() {
    const upstream = await openDemoUpstream({ clock })
    opened.defer(() => upstream.close())
    return upstream
  }

  return async (channels: readonly Channel[]): Promise<readonly Channel[]> => {
    if (!channels.some(isBuiltIn)) return channels
    demo ??= open()
    const { baseUrl } = await demo
    return channels.map((channel) =>
      isBuiltIn(channel) ? { ...channel, baseUrl, allowPrivate: true } : channel,
    )
  }
}
