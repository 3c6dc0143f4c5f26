import type { Target } from '../catalog/catalog.ts'
import { dialectOf } from '../providers/dialect-of.ts'
import type { Provider } from '../providers/provider.ts'
import { type ConversationExchange, isFailure } from './exchange.ts'
import type { Lane } from './lane.ts'
import { parseReply, parseWatched, writeReplay } from './read-whole-reply.ts'
import { writeVerbatimCall } from './verbatim-call.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'

/** Same format in and out: the caller's bytes go up and the channel's come down, save what must change. */
export function openVerbatimLane(exchange: ConversationExchange, target: Target, provider: Provider): Lane {
  const { received, scanned, format } = exchange
  const addsUsage =
    scanned.stream && !format.asksForUsage(scanned) && dialectOf(provider, target).streamUsageOption
  return {
    ...writeVerbatimCall(exchange, { target, provider }, addsUsage),
    createStreamRelay: () => createVerbatimRelay(format, addsUsage),
    readWhole(body) {
      const parsed = parseWatched(body)
      if ('failure' in parsed) return parsed.failure
      const { failure, usage } = format.watchReply(parsed.json)
      return failure ?? { body, usage, losses: [] }
    },
    replayWhole(body) {
      const parsed = parseReply(body)
      if ('failure' in parsed) return parsed.failure
      const reply = format.readReply(parsed.json)
      if (isFailure(reply)) return reply
      const streamUsage = format.asksForUsage(scanned)
      return writeReplay(reply, format.createStreamWriter({ streamUsage, requestId: received.requestId }))
    },
  }
}
