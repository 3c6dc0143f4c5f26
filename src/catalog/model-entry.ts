import type { Capabilities } from './capabilities.ts'
import type { PriceHistory } from './prices/price.ts'
import type { Strategy } from './strategy.ts'

/**
 * An entry of the configuration's `models`: an alias with targets of its own, or notes on a name that channels serve.
 */
export interface ModelEntry {
  readonly publicName: string
  /** Absent where the entry only adds settings to a name that channels serve. Never empty. */
  readonly targets?: readonly TargetName[]
  /** Public names, as the operator wrote them. */
  readonly fallbacks: readonly string[]
  readonly capabilities: Capabilities
  readonly prices?: PriceHistory
  readonly strategy?: Strategy
  /** The name that lists show people, where the operator gives one. */
  readonly displayName?: string
  readonly description?: string
}

/** A target in the configuration: `channel/model`, split at the first slash. */
export interface TargetName {
  readonly channel: string
  /** A public name of that channel or, where the channel takes its upstream's list, any upstream name. */
  readonly model: string
  /** The target's share beside others of its priority; absent for the channel's. */
  readonly weight?: number
}

/** Undefined where the text has no slash, or nothing on one side of it. */
export function readTargetName(text: string): TargetName | undefined {
  const slash = text.indexOf('/')
  if (slash < 1 || slash === text.length - 1) return undefined
  return { channel: text.slice(0, slash), model: text.slice(slash + 1) }
}
