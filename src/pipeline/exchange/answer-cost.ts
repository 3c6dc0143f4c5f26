import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { addCost, spliceCost, spliceFrameCost } from '../../wire/verbatim/splice-cost.ts'
import type { StreamWriter, UsagePath } from '../../wire/wire-format.ts'

/** The usage of an answer, by which it is priced. */
export interface AnsweredUsage {
  readonly usage: Usage
  /** Undefined where the provider does not say at which tier it served. */
  readonly servedTier: ServedTier | undefined
}

/** The price that the caller pays for an answer, in dollars as JSON writes numbers; undefined where it has none. */
export type CostOf = (answer: AnsweredUsage) => string | undefined

/** The cost of an answer, and where an event that ends it has the usage. */
export interface ShownCost {
  readonly costOf: CostOf
  readonly path: UsagePath
}

/** The cost as a stream shows it; undefined where the caller does not ask for it. */
export function shownCostOf({ costOf, format }: PricedExchange<'eventUsagePath'>): ShownCost | undefined {
  return costOf && { costOf, path: format.eventUsagePath }
}

interface PricedExchange<Path extends string> {
  readonly costOf?: CostOf | undefined
  readonly format: Readonly<Record<Path, UsagePath>>
}

interface PricedAnswer {
  readonly usage: Usage | undefined
  readonly servedTier?: ServedTier | undefined
}

/** The bytes of a whole answer with what it costs, where the caller asks for that and the answer has usage. */
export function showCost(
  body: Buffer,
  { costOf, format }: PricedExchange<'usagePath'>,
  { usage, servedTier }: PricedAnswer,
): Buffer {
  if (costOf === undefined || usage === undefined) return body
  return spliceCost(body, format.usagePath, () => costOf({ usage, servedTier })) ?? body
}

/** The same for an answer that is not yet bytes. */
export function withCost(
  value: JsonObject,
  { costOf, format }: PricedExchange<'usagePath'>,
  { usage, servedTier }: PricedAnswer,
): JsonObject {
  if (costOf === undefined || usage === undefined) return value
  return addCost(value, format.usagePath, () => costOf({ usage, servedTier }))
}

/** Writes what the answer costs, where the caller asks for that, into the usage at its end. */
export function createPricingWriter(writer: StreamWriter, shown: ShownCost | undefined): StreamWriter {
  if (shown === undefined) return writer
  const { costOf, path } = shown
  let usage: Usage | undefined
  let servedTier: ServedTier | undefined
  return {
    keepsText: writer.keepsText,
    push(event) {
      if (event.type === 'usage') usage = event.usage
      if (event.type === 'reply-start' || event.type === 'reply-end')
        servedTier = event.serviceTier ?? servedTier
      const output = writer.push(event)
      if (event.type !== 'reply-end' || usage === undefined) return output
      const answer = { usage, servedTier }
      return priceFrames(output, path, () => costOf(answer))
    },
    get losses() {
      return writer.losses
    },
  }
}

/** Frames of our own writing end in an empty line each. */
const BETWEEN = '\n\n'

function priceFrames(frames: string, path: UsagePath, writeCost: () => string | undefined): string {
  return frames
    .split(BETWEEN)
    .map((frame) => spliceFrameCost(Buffer.from(frame), path, writeCost)?.toString() ?? frame)
    .join(BETWEEN)
}
