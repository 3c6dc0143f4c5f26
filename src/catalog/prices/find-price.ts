import type { Channel } from '../channel.ts'
import type { PriceHistory, PriceVersion, PriceVersionId } from './price.ts'
import type { ModelLimits } from './price-table.ts'

/** The price table's facts about one model of a channel. */
export interface KnownModel {
  readonly prices?: PriceHistory
  readonly limits: ModelLimits
}

export type FindKnownModel = (channel: Channel, upstreamModel: string) => KnownModel

/** Finds a version by its ID. Undefined where neither the table nor the configuration has it any longer. */
export type FindPriceVersion = (id: PriceVersionId) => PriceVersion | undefined
