import type { ChannelFormatId, OperationId } from '../canonical/format.ts'
import type { Channel } from '../catalog/channel.ts'
import type { Operation, RequestTerms } from '../wire/wire-format.ts'
import type { Provider } from './provider.ts'

export interface CallTarget {
  readonly channel: Channel
  readonly upstreamModel: string
  readonly stream?: boolean
}

/** Where an operation is found below the channel's base address, with the query that format and provider put there. */
export function pathOf(
  provider: Provider,
  operation: { readonly id: OperationId | ChannelFormatId; readonly path: Operation['path'] },
  { channel, upstreamModel, stream = false }: CallTarget,
): string {
  const path = provider.paths?.[operation.id] ?? writePath(operation.path, { model: upstreamModel, stream })
  return provider.pathOf?.({ operation: operation.id, path, upstreamModel, channel, stream }) ?? path
}

function writePath(path: Operation['path'], terms: RequestTerms): string {
  return typeof path === 'string' ? path : path(terms)
}
