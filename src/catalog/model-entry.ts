import type { Capabilities } from './capabilities.ts'
import type { PriceHistory } from './prices/price.ts'
import type { Strategy } from './strategy.ts'

/**
 * An entry of the configuration's `models`: an alias with its own targets, or settings for a name that channels serve.
 */
export interface ModelEntry {
  readonly publicName: string
  /** The targets. Absent where the entry only adds settings to a name that channels serve. Never empty. */
  readonly targets?: readonly TargetName[]
  /** The public names, as the operator wrote them. */
  readonly fallbacks: readonly string[]
  readonly capabilities: Capabilities
  readonly prices?: PriceHistory
  readonly strategy?: Strategy
  /** The name that lists show to people, where the operator sets one. */
  readonly displayName?: string
  readonly description?: string
}

/** A target in the configuration: `channel/model`, split at the first slash. */
export interface TargetName {
  readonly channel: string
  /** A public name of that channel. Where the channel serves its upstream's list, any upstream name. */
  readonly model: string
  /** The target's share among targets of the same priority. Absent where the channel's weight applies. */
  readonly weight?: number
}

/** Splits the text. Undefined where it has no slash, or no text on one side of the slash. */
export function readTargetName(text: string): TargetName | undefined {
  const slash = text.indexOf('/')
  if (slash < 1 || slash === text.length - 1) return undefined
  return { channel: text.slice(0, slash), model: text.slice(slash + 1) }
}
