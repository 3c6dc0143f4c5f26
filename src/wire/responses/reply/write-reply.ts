import { createLossList, type Written } from '../../../canonical/loss.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isOfBlock } from '../../../canonical/reply-event.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { AnswerForm } from '../../answer-form.ts'
import { findCut, writeStopReason } from '../values/stop-reason.ts'
import { itemNameOf, OutputWriter } from './output-writer.ts'
import { writeWhole } from './write-response.ts'

/**
 * Writes a whole answer for a caller, which is the final event of its stream. The format carries only the first choice.
 */
export function writeReply(reply: Reply, { stored, metadata }: AnswerForm = {}): Written<JsonObject> {
  const losses = createLossList()
  const [choice = { content: [] }, ...others] = reply.choices
  if (others.length > 0) losses.lose('choices', 'dropped')
  const writer = new OutputWriter(itemNameOf(reply.id, stored), losses)
  for (const event of unfoldReply({ ...reply, choices: [choice] })) if (isOfBlock(event)) writer.push(event)
  writer.endAll(findCut(choice, writer.inspection) !== undefined)
  const stop = writeStopReason(choice, writer.inspection, losses)
  const { usage, serviceTier, extras } = reply
  const end = { stop, output: writer.output, usage, logprobs: choice.logprobs, serviceTier, extras }
  return { value: writeWhole({ ...reply, stored, metadata }, end, losses), losses: losses.all }
}
