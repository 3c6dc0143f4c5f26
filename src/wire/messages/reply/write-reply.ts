import { createLossList, type LossList, type Written } from '../../../canonical/loss.ts'
import type { Choice, Reply } from '../../../canonical/reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { joinFields } from '../../fields/extras.ts'
import { writeServedTier } from '../../served-tier.ts'
import { writeAssistant } from '../request/write-assistant.ts'
import { writeEach } from '../request/write-each.ts'
import { writeStop } from '../request/write-stop.ts'
import { withExtras } from '../values/extras.ts'
import { withoutSummaries, writeUsage } from '../values/write-usage.ts'
import { writeMessageHead } from './write-message-head.ts'

/** Writes a whole answer for a caller. The format carries only one choice: the first. */
export function writeReply(reply: Reply): Written<JsonObject> {
  const losses = createLossList()
  const [choice, ...others] = reply.choices
  if (others.length > 0) losses.lose('choices', 'dropped')
  const usage = writeUsage(withoutSummaries(reply.usage, reply.extras), losses)
  const tier = writeServedTier('messages', reply.serviceTier, losses)
  const message = {
    ...writeMessageHead(reply),
    ...writeChoice(choice ?? { content: [] }, losses),
    usage: { ...usage, ...(tier === undefined ? {} : { service_tier: tier }) },
  }
  return {
    value: withExtras(message, reply.extras, { losses, path: '' }),
    losses: losses.all,
  }
}

function writeChoice(choice: Choice, losses: LossList): JsonObject {
  const target = { losses, side: 'reply' } as const
  const content = writeEach(choice.content, (block) => writeAssistant(block, target))
  if (choice.logprobs !== undefined) losses.lose('logprobs', 'dropped')
  const inspection = {
    hasToolCall: choice.content.some((block) => block.type === 'tool-call'),
    hasRefusal: choice.content.some((block) => block.type === 'refusal'),
  }
  return joinFields({ content }, writeStop(choice, inspection, losses))
}
