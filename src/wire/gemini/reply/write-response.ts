import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { joinFields, loseExtras } from '../../fields/extras.ts'
import { writeServedTier } from '../../served-tier.ts'
import { withExtras } from '../values/extras.ts'
import { writeStopReason } from '../values/stop-reason.ts'
import { writeUsage } from '../values/write-usage.ts'
import type { CandidateWriter } from './candidate-writer.ts'
import type { LogprobsWriter } from './logprobs-writer.ts'

export interface ResponseHead {
  readonly id: string
  readonly model: string
  readonly createdAtSeconds?: number
}

/** The last second that a date can hold. */
const MAX_SECONDS = 8.64e12

/** The fields that every chunk of an answer repeats. */
export function writeHead({ id, model, createdAtSeconds }: ResponseHead): JsonObject {
  const hasTime = createdAtSeconds !== undefined && Math.abs(createdAtSeconds) <= MAX_SECONDS
  return omitUndefined({
    modelVersion: model,
    createTime: hasTime ? new Date(createdAtSeconds * 1000).toISOString() : undefined,
    responseId: id === '' ? undefined : id,
  })
}

export interface CandidateEnd {
  readonly index: number
  readonly parts: readonly JsonObject[]
  readonly writer: CandidateWriter
  readonly logprobs: LogprobsWriter | undefined
  readonly end: Omit<Extract<ReplyEvent, { readonly type: 'choice-end' }>, 'type' | 'choice'>
}

/** Writes the end of a candidate: its last parts (or all parts of a whole answer) and its finish reason. */
export function writeCandidateEnd(candidate: CandidateEnd, losses: LossList): JsonObject {
  const { index, parts, writer, logprobs, end } = candidate
  const own = end.extras?.format === 'gemini' ? end.extras.fields : {}
  const { finishReason, ...others } = own
  if (end.extras?.format !== 'gemini') loseExtras(end.extras, { losses, path: 'candidates' })
  if (end.stopSequence !== undefined) losses.lose('stop-reason', 'approximated')
  const { hasCall, hasRefusal } = writer
  const finish = writeStopReason(
    { stopReason: end.stopReason, hasCall, hasRefusal, own: finishReason },
    losses,
  )
  const written = {
    content: { ...(parts.length === 0 ? {} : { parts }), role: 'model' },
    finishReason: finish,
    index,
    ...writer.sources,
    ...logprobs?.finish(losses),
  }
  return joinFields(written, others)
}

export interface ResponseEnd {
  readonly candidates: readonly JsonObject[]
  readonly usage: Usage | undefined
  readonly serviceTier: ServedTier | undefined
  readonly extras: Extras | undefined
}

/** Writes the whole answer, or the last chunk of its stream. The answer to a refused prompt has no candidates. */
export function writeEnd(head: ResponseHead, end: ResponseEnd, losses: LossList): JsonObject {
  const { candidates, usage, serviceTier, extras } = end
  const feedback = extras?.format === 'gemini' ? extras.fields['promptFeedback'] : undefined
  const isRefused = isJsonObject(feedback) && feedback['blockReason'] !== undefined
  const tier = writeServedTier('gemini', serviceTier, losses)
  const counts: JsonObject = {
    ...(usage === undefined ? {} : writeUsage(usage, losses)),
    ...(tier === undefined ? {} : { serviceTier: tier }),
  }
  const written = {
    ...(isRefused && candidates.every(isSilent) ? {} : { candidates }),
    ...(Object.keys(counts).length === 0 ? {} : { usageMetadata: counts }),
    ...writeHead(head),
  }
  return withExtras(written, extras, { losses, path: '' })
}

function isSilent({ content }: JsonObject): boolean {
  const parts = isJsonObject(content) ? content['parts'] : undefined
  return !isJsonArray(parts) || parts.every((part) => isJsonObject(part) && part['text'] === '')
}
