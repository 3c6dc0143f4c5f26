import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import type { UsagePath } from '../../wire-format.ts'
import { writeStopReason } from '../values/stop-reason.ts'
import { writeUsage } from '../values/write-usage.ts'
import type { AnswerTimes } from './answer-times.ts'

export interface LineHead {
  readonly model: string
  readonly createdAtSeconds?: number
}

/** The counts are among the fields of the answer, and of the last line of a stream. */
export const usagePath: UsagePath = []

/** The highest number of seconds that a date can represent. */
const MAX_SECONDS = 8.64e12

/** Writes the fields of every line. */
export function writeHead({ model, createdAtSeconds = 0 }: LineHead): JsonObject {
  const seconds = Math.abs(createdAtSeconds) <= MAX_SECONDS ? createdAtSeconds : 0
  return { model, created_at: new Date(seconds * 1_000).toISOString() }
}

export interface AnswerEnd {
  readonly stopReason: StopReason | undefined
  readonly usage: Usage | undefined
  readonly serviceTier: ServedTier | undefined
  readonly extras: Extras | undefined
  readonly times: AnswerTimes
}

/** Writes the fields of the last line, and of a whole answer. */
export function writeEnd(end: AnswerEnd, losses: LossList): JsonObject {
  if (end.serviceTier !== undefined) losses.lose('service-tier', 'dropped')
  loseExtras(end.extras, { losses, path: '' })
  return {
    done: true,
    done_reason: writeStopReason(end.stopReason, losses),
    ...end.times.write(),
    ...writeUsage(end.usage, losses),
  }
}
