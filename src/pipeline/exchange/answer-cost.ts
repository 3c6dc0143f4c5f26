import type { NanoDollars } from '../../canonical/money.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { addCost } from '../../wire/fields/add-cost.ts'
import { spliceCost } from '../../wire/verbatim/splice-cost.ts'
import type { UsagePath } from '../../wire/wire-format.ts'

/** The cost and the charge of calls that have a price. */
export interface SpentAmount {
  readonly cost: NanoDollars
  readonly charged: NanoDollars
}

/** The usage of an answer, by which it is priced. */
export interface AnsweredUsage {
  readonly usage: Usage
  /** Undefined where the provider does not say at which tier it served. */
  readonly servedTier: ServedTier | undefined
}

/**
 * The price that the caller pays for an answer, in dollars and written as a JSON number; undefined if the answer has no
 * price.
 */
export type CostOf = (answer: AnsweredUsage) => string | undefined

interface PricedExchange {
  readonly costOf?: CostOf | undefined
  readonly format: { readonly usagePath: UsagePath }
}

interface PricedAnswer {
  readonly usage: Usage | undefined
  readonly servedTier: ServedTier | undefined
}

/** The bytes of a whole answer, with its cost added if the caller asks for the cost and the answer has usage. */
export function showCost(
  body: Buffer,
  { costOf, format }: PricedExchange,
  { usage, servedTier }: PricedAnswer,
): Buffer {
  if (costOf === undefined || usage === undefined) return body
  return spliceCost(body, format.usagePath, () => costOf({ usage, servedTier })) ?? body
}

/** The JSON of a whole answer, with its cost added under the same conditions as in `showCost`. */
export function withCost(
  value: JsonObject,
  { costOf, format }: PricedExchange,
  { usage, servedTier }: PricedAnswer,
): JsonObject {
  if (costOf === undefined || usage === undefined) return value
  return addCost(value, format.usagePath, costOf({ usage, servedTier }))
}

/** The end event of a stream, with the cost of the answer added if the caller asks for it and the answer has usage. */
export function priceEnd(
  end: ReplyEnd,
  costOf: CostOf | undefined,
  { usage, servedTier }: PricedAnswer,
): ReplyEnd {
  const cost = usage && costOf?.({ usage, servedTier })
  return cost === undefined ? end : { ...end, cost }
}

type ReplyEnd = Extract<ReplyEvent, { readonly type: 'reply-end' }>
