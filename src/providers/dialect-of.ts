import type { Target } from '../catalog/catalog.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { Provider } from './provider.ts'

interface Known {
  readonly provider: Provider
  readonly dialect: Dialect
}

/** By target, since it is asked for with every attempt. */
const known = new WeakMap<Target, Known>()

/** How one model is spoken to: what its provider declares, and over it what the operator states. */
export function dialectOf(provider: Provider, target: Target): Dialect {
  const before = known.get(target)
  if (before?.provider === provider) return before.dialect
  const { upstreamModel, channel, capabilities } = target
  const dialect = {
    ...provider.dialect(upstreamModel, channel.format),
    // The operator's list is the whole of what is refused.
    ...(capabilities.refusedFields !== undefined && { refusedWhileReasoning: [] }),
    ...capabilities,
  }
  known.set(target, { provider, dialect })
  return dialect
}
