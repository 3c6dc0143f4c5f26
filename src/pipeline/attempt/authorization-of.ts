import type { Channel, Credential } from '../../catalog/channel.ts'
import type { Provider } from '../../providers/provider.ts'
import type { UpstreamRequest } from '../../upstream/upstream.ts'

/** How a call is authorised that no key of the channel's does; nothing where one does, or the operator's own header. */
export function authorizationOf(
  provider: Provider,
  channel: Channel,
  credential: Credential | undefined,
): Pick<UpstreamRequest, 'authorize' | 'onRefused' | 'isRefusal'> {
  const { authorizer } = provider
  if (authorizer === undefined || credential !== undefined) return {}
  if (channel.headers['authorization'] !== undefined) return {}
  return {
    authorize: (request) => authorizer.authorize({ ...request, channel, credential }),
    onRefused:
      authorizer.refused === undefined ? undefined : (headers) => authorizer.refused?.(channel, headers),
    isRefusal: authorizer.isRefusal,
  }
}
