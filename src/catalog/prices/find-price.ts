import type { Channel } from '../channel.ts'
import type { PriceHistory } from './price.ts'
import type { ModelLimits } from './price-table.ts'

/** What the price table knows of one model of a channel. */
export interface KnownModel {
  readonly prices?: PriceHistory
  readonly limits: ModelLimits
}

export type FindKnownModel = (channel: Channel, upstreamModel: string) => KnownModel
