import type { OperationId } from '../canonical/format.ts'
import type { Target } from '../catalog/catalog.ts'
import type { Provider } from './provider.ts'

/** Where an operation is found below the channel's base address, with the query that the provider puts there. */
export function pathOf(
  provider: Provider,
  operation: { readonly id: OperationId; readonly path: string },
  { channel, upstreamModel }: Target,
): string {
  const path = provider.paths?.[operation.id] ?? operation.path
  return provider.pathOf?.({ path, upstreamModel, channel }) ?? path
}
