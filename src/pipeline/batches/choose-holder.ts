import { permits } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { Endpoints } from '../../providers/provider.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import type { ObjectCall } from './object-input.ts'

/**
 * The format of the channels that can store each kind of object. A provider may speak other formats, with other headers
 * and addresses.
 */
const formats = { messageBatches: 'messages', geminiFiles: 'gemini' } as const

/**
 * Chooses the account for an object that names no model. Of the channels that can store the object and serve a model
 * that the key may use, it is the first credential of the channel with the highest priority. Throws
 * `operation_not_supported` where there is no such channel.
 */
export function chooseHolder(
  { request: { caller }, catalog, providers }: ObjectCall,
  endpoint: Extract<keyof Endpoints, 'messageBatches' | 'geminiFiles'>,
): FoundOwner {
  const current = catalog.current()
  const reachable = new Set<Channel>()
  for (const { name } of current.models) {
    if (!permits(caller.permission, name)) continue
    for (const { channel } of current.findRoute(name)?.targets ?? []) reachable.add(channel)
  }
  const able = [...reachable].filter(
    ({ provider, format }) =>
      format === formats[endpoint] && providers.find(provider)?.endpoints?.[endpoint] === true,
  )
  const [channel] = able.toSorted((one, other) => other.priority - one.priority)
  const provider = channel && providers.find(channel.provider)
  if (channel === undefined || provider === undefined)
    throw new GatewayError('operation_not_supported', {
      message: 'No channel with a model that this key may use stores files of this form.',
    })
  const [credential] = channel.credentials
  const target = { channel, upstreamModel: '', capabilities: {} }
  return {
    candidate: { target, credential, publicName: '', operation: 'conversation', isProbe: false },
    provider,
  }
}
