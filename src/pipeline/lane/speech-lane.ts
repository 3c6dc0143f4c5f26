import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import type { SpeechRequest } from '../../canonical/operations/speech.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { jsonBody } from '../../upstream/upstream-body.ts'
import type { ChannelSpeech } from '../../wire/operations/speech-format.ts'
import type { ForAttempt, SpeechExchange } from '../exchange/exchange.ts'
import { estimateMediaUsage } from '../exchange/media-usage.ts'
import { createBinaryRelay } from '../relay/binary-relay.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'
import { type Lane, type WholeReply, wholeJson } from './lane.ts'
import { fitsChannel, type MediaTarget, writeOwnCall, writeTranslatedMediaCall } from './media-lane.ts'
import { operationNotOffered } from './operation-not-offered.ts'
import { parseReply } from './read-whole-reply.ts'
import { errorReaderOf } from './translated-call.ts'

/** Opens the call that speaks a text at one target. Throws if the target does not speak or cannot carry the request. */
export function openSpeechLane(exchange: ForAttempt<SpeechExchange>, mediaTarget: MediaTarget): Lane {
  const { provider, target } = mediaTarget
  const endpoint = provider.endpoints?.speech
  if (endpoint === 'as-is' && target.channel.format === exchange.format.family)
    return openOwnLane(exchange, mediaTarget)
  if (endpoint === undefined || endpoint === 'as-is' || !fitsChannel(mediaTarget))
    throw operationNotOffered(exchange.scanned.model, 'speech')
  return openTranslatedLane(exchange, mediaTarget, endpoint)
}

function openOwnLane(exchange: ForAttempt<SpeechExchange>, mediaTarget: MediaTarget): Lane {
  const { format, scanned } = exchange
  const call = writeOwnCall(exchange, mediaTarget)
  return {
    ...call,
    // The answer is either sound or events.
    headers: { ...call.headers, accept: scanned.isStream ? 'text/event-stream' : '*/*' },
    whole: { type: 'binary', open: (contentType) => openSound(exchange, mediaTarget, contentType) },
    readWhole: (body) => readFault(body, format),
  }
}

/** Reads an answer in JSON, which is not sound and so a failure. */
function* readFault(body: Buffer, format: SpeechExchange['format']): Steps<Failure> {
  const parsed = yield* parseReply(body)
  if (isFailure(parsed)) return parsed
  return format.watchReply(parsed.json).failure ?? createFailure('upstream_bad_response')
}

function openTranslatedLane(
  exchange: ForAttempt<SpeechExchange>,
  mediaTarget: MediaTarget,
  endpoint: ChannelSpeech,
): Lane {
  const { provider, target, formats } = mediaTarget
  const { format } = exchange
  const request = exchange.readRequest()
  const { path, value, losses } = endpoint.writeRequest(request, target.upstreamModel)
  const call = writeTranslatedMediaCall(exchange, mediaTarget, {
    operation: { id: endpoint.operationId ?? format.id, path },
    headers: { accept: '*/*' },
    body: jsonBody(value),
    losses,
    readError: errorReaderOf(provider, formats[target.channel.format]),
  })
  return {
    ...call,
    whole:
      endpoint.readReply === undefined
        ? { type: 'binary', open: (contentType) => openSound(exchange, mediaTarget, contentType) }
        : wholeJson,
    readWhole: (body) => readSound(body, { exchange, mediaTarget, endpoint, request }),
  }
}

interface SpeechAnswerContext {
  readonly exchange: ForAttempt<SpeechExchange>
  readonly mediaTarget: MediaTarget
  readonly endpoint: ChannelSpeech
  readonly request: SpeechRequest
}

function* readSound(
  body: Buffer,
  { exchange, mediaTarget, endpoint, request }: SpeechAnswerContext,
): Steps<WholeReply | Failure> {
  const { format, scanned } = exchange
  const parsed = yield* parseReply(body)
  if (isFailure(parsed)) return parsed
  const reply = endpoint.readReply?.(parsed.json, request) ?? createFailure('upstream_bad_response')
  if (isFailure(reply)) return reply
  const usage = reply.usage ?? usageOf(exchange, mediaTarget)
  const { bytes, mediaType } = reply
  return scanned.isStream
    ? { body: format.writeDelta(bytes) + format.writeDone(usage), usage, losses: [] }
    : { body: bytes, contentType: mediaType, usage, losses: [] }
}

/** Opens a relay that passes sound on as it arrives: as bytes or, where the caller asks for events, in events. */
function openSound(
  exchange: ForAttempt<SpeechExchange>,
  mediaTarget: MediaTarget,
  contentType: string,
): StreamRelay {
  const { format, scanned } = exchange
  const usage = () => usageOf(exchange, mediaTarget)
  const { bounds } = format
  if (!scanned.isStream) return createBinaryRelay({ contentType, usage, bounds })
  return createBinaryRelay({
    contentType: undefined,
    writeChunk: (bytes) => format.writeDelta(bytes),
    writeEnd: (used) => format.writeDone(used),
    usage,
    bounds,
  })
}

function usageOf(exchange: ForAttempt<SpeechExchange>, { target }: MediaTarget): Usage {
  return estimateMediaUsage(exchange, target)
}
