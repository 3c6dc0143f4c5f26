import type { Target } from '../catalog/catalog.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { Provider } from './provider.ts'

/** How one model is spoken to: what its provider declares, and over it what the operator states. */
export function dialectOf(provider: Provider, target: Target): Dialect {
  return { ...provider.dialect(target.upstreamModel, target.channel.format), ...target.capabilities }
}
