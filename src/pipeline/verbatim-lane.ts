import type { Target } from '../catalog/catalog.ts'
import { dialectOf } from '../providers/dialect-of.ts'
import type { Provider } from '../providers/provider.ts'
import type { ChannelFormat } from '../wire/wire-format.ts'
import { type ConversationExchange, isFailure } from './exchange.ts'
import type { Lane } from './lane.ts'
import { noteKept } from './note-kept.ts'
import { parseReply, parseWatched, writeReplay } from './read-whole-reply.ts'
import { createRecoverableRelay } from './recoverable-relay.ts'
import { writeVerbatimCall } from './verbatim-call.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'

export interface VerbatimPlace {
  readonly target: Target
  readonly provider: Provider
  /** How streams of the channel are read where they must be understood; undefined where nobody can. */
  readonly channelFormat: ChannelFormat | undefined
  readonly createdAtSeconds: number
  /** Told of the id of an answer that the channel keeps. */
  readonly noteId?: ((id: string) => void) | undefined
}

/** Same format in and out: the caller's bytes go up and the channel's come down, save what must change. */
export function openVerbatimLane(exchange: ConversationExchange, place: VerbatimPlace): Lane {
  const { received, scanned, record } = exchange
  const { target, provider, channelFormat, createdAtSeconds, noteId } = place
  const format = noteId === undefined ? exchange.format : noteKept(exchange.format, noteId)
  const addsUsage =
    scanned.stream && !format.asksForUsage(scanned) && dialectOf(provider, target).streamUsageOption
  return {
    ...writeVerbatimCall(exchange, { target, provider }, addsUsage),
    createStreamRelay(parser) {
      if (record === undefined || channelFormat === undefined)
        return createVerbatimRelay(format, addsUsage, parser)
      const reader = channelFormat.createStreamReader()
      return createRecoverableRelay({ reader, record, createdAtSeconds, parser })
    },
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
