import type { Channel } from '../channel.ts'
import type { PriceHistory, PriceVersion, PriceVersionId } from './price.ts'
import type { ModelLimits } from './price-table.ts'

/** The price table's facts of one model of a channel. */
export interface KnownModel {
  readonly prices?: PriceHistory
  readonly limits: ModelLimits
}

export type FindKnownModel = (channel: Channel, upstreamModel: string) => KnownModel

/** A version by its id; undefined where neither table nor configuration has it any more. */
export type FindPriceVersion = (id: PriceVersionId) => PriceVersion | undefined
