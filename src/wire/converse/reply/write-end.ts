import { type Extras, joinExtras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Choice } from '../../../canonical/reply.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { AnswerContent } from '../../answer-content.ts'
import type { AnswerTimer } from '../../answer-form.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeServedTier } from '../../served-tier.ts'
import { writeStopReason } from '../values/stop-reason.ts'
import { writeUsage } from '../values/write-usage.ts'

/** Writes the stop reason. The fields are the same in a whole answer and in a stream's `messageStop`. */
export function writeStop(
  { stopReason, stopSequence, extras }: Pick<Choice, 'stopReason' | 'stopSequence' | 'extras'>,
  content: AnswerContent,
  losses: LossList,
): JsonObject {
  const own = extras?.format === 'converse' ? extras.fields : {}
  if (extras?.format !== 'converse') loseExtras(extras, { losses, path: '' })
  const { stopReason: word, additionalModelResponseFields: more } = own
  const fields = {
    ...(typeof more === 'object' && more),
    ...(stopSequence !== undefined && { stop_sequence: stopSequence }),
  }
  return {
    stopReason: word ?? writeStopReason(stopReason, content, losses),
    ...(Object.keys(fields).length > 0 && { additionalModelResponseFields: fields }),
  }
}

export interface MetadataFacts {
  readonly usage: Usage | undefined
  readonly serviceTier: ServedTier | undefined
  readonly startExtras: Extras | undefined
  readonly extras: Extras | undefined
  readonly timer: AnswerTimer | undefined
}

/** Writes usage and times. The fields are the same in a whole answer and in a stream's `metadata`. */
export function writeMetadata(facts: MetadataFacts, losses: LossList): JsonObject {
  const { usage, serviceTier, timer } = facts
  if (usage === undefined) losses.lose('usage-detail', 'defaulted')
  const tier = writeServedTier('converse', serviceTier, losses)
  const extras = joinExtras(facts.startExtras, facts.extras)
  const own = extras?.format === 'converse' ? extras.fields : {}
  if (extras?.format !== 'converse') loseExtras(extras, { losses, path: '' })
  return {
    usage: writeUsage(usage ?? noUsage, losses),
    metrics: { latencyMs: timer === undefined ? 0 : elapsedMs(timer) },
    ...(tier === undefined ? {} : { serviceTier: { type: tier } }),
    ...own,
  }
}

function elapsedMs({ clock, startedAtMs }: AnswerTimer): number {
  return Math.max(0, Math.round(clock.monotonicMs() - startedAtMs))
}
