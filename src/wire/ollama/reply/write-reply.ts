import { createLossList, type Written } from '../../../canonical/loss.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isOfChoice } from '../../../canonical/reply-event.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import type { AnswerForm } from '../../answer-form.ts'
import type { AnswerShape } from './answer-shape.ts'
import { AnswerTimes } from './answer-times.ts'
import { AnswerWriter } from './answer-writer.ts'
import { writeEnd, writeHead } from './write-end.ts'

/** Writes a whole answer as the sum of the pieces that its stream would have. */
export function writeReply(
  shape: AnswerShape,
  reply: Reply,
  { timer }: AnswerForm = {},
): Written<JsonObject> {
  const losses = createLossList()
  const answer = new AnswerWriter(losses, { isStream: false, hasCalls: shape.hasCalls })
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: JsonObject[] = []
  const logprobs: JsonValue[] = []
  for (const event of unfoldReply(reply)) {
    const piece = isOfChoice(event) ? answer.push(event) : undefined
    if (piece?.text !== undefined) texts.push(piece.text)
    if (piece?.thinking !== undefined) thoughts.push(piece.thinking)
    if (piece?.call !== undefined) calls.push(piece.call)
    for (const entry of piece?.logprobs ?? []) logprobs.push(entry)
  }
  const said = {
    text: texts.join(''),
    ...(thoughts.length === 0 ? {} : { thinking: thoughts.join('') }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(logprobs.length === 0 ? {} : { logprobs }),
  }
  const { usage, serviceTier, extras } = reply
  const end = { stopReason: answer.stopReason, usage, serviceTier, extras, times: new AnswerTimes(timer) }
  const value = { ...writeHead(reply), ...shape.write(said), ...writeEnd(end, losses) }
  return { value, losses: losses.all }
}
