import { createLossList, type Written } from '../../../canonical/loss.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isOfChoice } from '../../../canonical/reply-event.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { ChoiceWriter } from './choice-writer.ts'
import { writeEnd } from './write-response.ts'

/** Writes a whole answer for a caller. */
export function writeReply(reply: Reply): Written<JsonObject> {
  return runToEnd(writeReplyInSteps(reply))
}

export function* writeReplyInSteps(reply: Reply): Steps<Written<JsonObject>> {
  const losses = createLossList()
  const writers = reply.choices.map((_choice, index) => new ChoiceWriter(index, losses))
  const parts: JsonObject[][] = reply.choices.map(() => [])
  for (const event of unfoldReply(reply)) {
    if (isOfChoice(event)) parts[event.choice]?.push(...(writers[event.choice]?.push(event) ?? []))
    if (event.type === 'logprobs-delta') yield
  }
  const candidates = writers.map((writer, index) => writer.finish(parts[index] ?? []))
  const { usage, serviceTier, extras } = reply
  return { value: writeEnd(reply, { candidates, usage, serviceTier, extras }, losses), losses: losses.all }
}
