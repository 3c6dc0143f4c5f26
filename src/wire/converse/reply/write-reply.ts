import { createLossList, type Written } from '../../../canonical/loss.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isOfBlock } from '../../../canonical/reply-event.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { AnswerForm } from '../../answer-form.ts'
import { BlockWriter } from './block-writer.ts'
import { joinBlock } from './write-block.ts'
import { writeMetadata, writeStop } from './write-end.ts'

interface BlockSum {
  start: JsonObject | undefined
  readonly deltas: JsonObject[]
}

/** Writes a whole answer for a caller, from the same parts as its stream. The format carries only the first choice. */
export function writeReply(reply: Reply, { timer }: AnswerForm = {}): Written<JsonObject> {
  const losses = createLossList()
  const [choice = { content: [] }, ...others] = reply.choices
  if (others.length > 0) losses.lose('choices', 'dropped')
  if (choice.logprobs !== undefined) losses.lose('logprobs', 'dropped')
  const blocks = new BlockWriter(losses)
  const sums: BlockSum[] = choice.content.map(() => ({ start: undefined, deltas: [] }))
  for (const event of unfoldReply({ ...reply, choices: [choice] })) {
    const sum = isOfBlock(event) ? sums[event.block] : undefined
    if (!isOfBlock(event) || sum === undefined) continue
    const { start, deltas } = blocks.push(event)
    sum.start ??= start
    for (const delta of deltas) sum.deltas.push(delta)
  }
  const joined = sums.map((sum) => joinBlock(sum, losses))
  const content = joined.filter((block) => block !== undefined)
  const { usage, serviceTier, extras } = reply
  const facts = { usage, serviceTier, startExtras: undefined, extras, timer }
  const value = {
    output: { message: { role: 'assistant', content } },
    ...writeStop(choice, blocks.content, losses),
    ...writeMetadata(facts, losses),
  }
  return { value, losses: losses.all }
}
