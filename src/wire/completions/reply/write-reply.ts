import { createLossList, type Written } from '../../../canonical/loss.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isOfChoice } from '../../../canonical/reply-event.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { joinFields } from '../../fields/extras.ts'
import { type LogprobLists, sumLogprobs } from '../../openai/values/sum-logprobs.ts'
import { writeUsage } from '../../openai/values/write-usage.ts'
import { ownFields } from '../request/own-fields.ts'
import { createTextWriter, type TextPiece } from './text-writer.ts'

/** Writes a whole answer as the sum of the pieces that its stream would have. */
export function writeReply(reply: Reply): Written<JsonObject> {
  const losses = createLossList()
  const writer = createTextWriter(losses)
  const sums = reply.choices.map((_choice, choice): ChoiceSum => ({ choice, text: '' }))
  for (const event of unfoldReply(reply)) {
    const piece = isOfChoice(event) ? writer.push(event) : undefined
    const sum = piece === undefined ? undefined : sums[piece.choice]
    if (piece !== undefined && sum !== undefined) sums[piece.choice] = addPiece(sum, piece)
  }
  if (reply.serviceTier !== undefined) losses.lose('service-tier', 'dropped')
  const body = omitUndefined({
    id: reply.id,
    object: 'text_completion',
    created: reply.createdAtSeconds ?? 0,
    model: reply.model,
    choices: sums.map(writeChoice),
    usage: reply.usage === undefined ? undefined : writeUsage(reply.usage, losses),
  })
  return { value: joinFields(body, ownFields(reply.extras, losses)), losses: losses.all }
}

interface ChoiceSum extends TextPiece {
  readonly logprobs?: LogprobLists
}

function addPiece(sum: ChoiceSum, { logprobs, ...piece }: TextPiece): ChoiceSum {
  const lists = logprobs === undefined ? {} : { logprobs: sumLogprobs(sum.logprobs, logprobs) }
  return { ...sum, ...piece, ...lists, text: sum.text + piece.text }
}

/** Writes a choice of an answer or of a chunk. */
export function writeChoice({ choice, text, logprobs, finishReason, more }: TextPiece): JsonObject {
  const written = {
    text,
    index: choice,
    logprobs: logprobs ?? more?.['logprobs'] ?? null,
    finish_reason: finishReason ?? null,
  }
  return more === undefined ? written : joinFields(written, more)
}
