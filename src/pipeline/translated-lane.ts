import { type Failure, GatewayError } from '../canonical/failure.ts'
import type { Loss, Written } from '../canonical/loss.ts'
import type { Target } from '../catalog/catalog.ts'
import type { JsonObject } from '../kit/json.ts'
import { dialectOf } from '../providers/dialect-of.ts'
import type { Provider } from '../providers/provider.ts'
import type { WireFormat } from '../wire/wire-format.ts'
import { type Exchange, isFailure } from './exchange.ts'
import type { Lane } from './lane.ts'
import { parseReply, writeReplay } from './read-whole-reply.ts'
import { createTranslatedRelay } from './translated-relay.ts'

export interface Translation {
  readonly target: Target
  readonly provider: Provider
  /** The format that the channel speaks. */
  readonly format: WireFormat
  /** What an answer says of when it was made, where the channel's format does not. */
  readonly createdAtSeconds: number
}

/** Different formats: every field is read into the canonical form and written from it, losses declared. */
export function openTranslatedLane(exchange: Exchange, translation: Translation): Lane {
  const { received, scanned } = exchange
  const { provider, format, createdAtSeconds } = translation
  const callerFormat = received.format
  const written = writeForTarget(exchange, translation)
  const createWriter = () =>
    callerFormat.createStreamWriter({
      streamUsage: callerFormat.asksForUsage(scanned),
      requestId: received.requestId,
    })
  return {
    kind: 'translated',
    path: provider.paths?.[format.id] ?? format.path,
    headers: {},
    body: [Buffer.from(JSON.stringify(written.value), 'utf8')],
    losses: written.losses,
    createStreamRelay() {
      const reader = format.createStreamReader()
      return createTranslatedRelay({ reader, writer: createWriter(), createdAtSeconds })
    },
    readWhole(body) {
      const parsed = parseReply(body)
      if ('failure' in parsed) return parsed.failure
      const reply = format.readReply(parsed.json)
      if (isFailure(reply)) return reply
      const { value, losses } = callerFormat.writeReply({ createdAtSeconds, ...reply })
      return { body: JSON.stringify(value), usage: reply.usage, losses }
    },
    replayWhole(body) {
      const parsed = parseReply(body)
      if ('failure' in parsed) return parsed.failure
      const reply = format.readReply(parsed.json)
      return isFailure(reply) ? reply : writeReplay({ createdAtSeconds, ...reply }, createWriter())
    },
    readError: (answer) => withoutBytes(format.readError(answer)),
  }
}

/** The upstream's own bytes are in a format that the caller does not read. */
function withoutBytes(failure: Failure): Failure {
  if (failure.upstream === undefined) return failure
  const { body: _body, ...words } = failure.upstream
  return { ...failure, upstream: words }
}

function writeForTarget(exchange: Exchange, { target, provider, format }: Translation): Written<JsonObject> {
  const written = format.writeRequest(exchange.readCanonical(), {
    model: target.upstreamModel,
    dialect: dialectOf(provider, target),
  })
  const first = written.losses.find(({ kind }) => kind !== 'defaulted')
  if (exchange.isStrict && first !== undefined) throw lossRefused(first, exchange.received.format)
  return written
}

function lossRefused(loss: Loss, callerFormat: WireFormat): GatewayError {
  const param = callerFormat.paramOf(loss)
  return new GatewayError('cannot_be_carried', {
    param,
    message: `The channel for this model speaks another format, in which "${param}" would be ${loss.kind}, and the request asked for strict translation. Leave the field out, or send the request without "x-headgate-strict".`,
  })
}
