import { echoReply } from '../canonical/echo-reply.ts'
import { createFailure, GatewayError } from '../canonical/failure.ts'
import { joinReplies } from '../canonical/join-replies.ts'
import type { Reply } from '../canonical/reply.ts'
import type { ChatRequest } from '../canonical/request.ts'
import { type ConversationExchange, isFailure } from './exchange.ts'
import type { Lane, SplitLane } from './lane.ts'
import { parseReply } from './read-whole-reply.ts'
import { type Translation, writeTranslatedCall } from './translated-call.ts'
import { createWholeLane } from './whole-lane.ts'

/** One call for each request that the body asks, and one answer of all their choices. Throws where a stream is asked for. */
export function openSplitConversation(
  exchange: ConversationExchange,
  requests: readonly ChatRequest[],
  translation: Translation,
): SplitLane {
  if (exchange.scanned.stream) throw severalInStream(requests.length)
  const replies: Reply[] = []
  const lanes = requests.map((request, index): Lane => {
    const call = writeTranslatedCall(exchange, request, translation)
    return createWholeLane(call, (body) => {
      const parsed = parseReply(body)
      if ('failure' in parsed) return parsed.failure
      const reply = translation.format.readReply(parsed.json)
      if (isFailure(reply)) return reply
      replies[index] = echoReply(reply, request.echo)
      return { body: '', usage: reply.usage, losses: [] }
    })
  })
  refuseLostChoices(lanes)
  return {
    lanes,
    losses: lanes[0]?.losses ?? [],
    join() {
      const [first, ...others] = replies
      if (first === undefined) return createFailure('upstream_empty')
      const reply = { createdAtSeconds: translation.createdAtSeconds, ...joinReplies(first, others) }
      const { value, losses } = exchange.format.writeReply(reply)
      return { body: JSON.stringify(value), usage: reply.usage, losses }
    },
  }
}

/** Callers tell the answers of one prompt from those of the next by their count, so that none may be missing. */
function refuseLostChoices(lanes: readonly Lane[]): void {
  if (!lanes.some(({ losses }) => losses.some(({ feature }) => feature === 'choices'))) return
  throw new GatewayError('cannot_be_carried', {
    param: 'n',
    message:
      'The channel for this model gives one answer a call, so several answers to each of several prompts cannot be told apart. Leave "n" out, or send the prompts one by one.',
  })
}

function severalInStream(count: number): GatewayError {
  return new GatewayError('cannot_be_carried', {
    param: 'prompt',
    message: `The channel for this model takes one prompt a call, so ${count} prompts cannot be answered in one stream. Send them one by one, or without "stream".`,
  })
}
