import type { EmbeddingReply, EmbeddingRequest } from '../../canonical/embedding.ts'
import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import type { Provider } from '../../providers/provider.ts'
import { pathOf } from '../../providers/registry.ts'
import { jsonBody } from '../../upstream/upstream-body.ts'
import type { ChannelEmbeddings, ChannelFormat } from '../../wire/wire-format.ts'
import type { EmbeddingExchange, ForAttempt } from '../exchange/exchange.ts'
import { errorReaderOf, refuseLosses } from './translated-call.ts'
import type { WholeLaneParts } from './whole-lane.ts'

/** Writes the request for the vectors of some inputs, and reads the answers. */
export interface EmbeddingCodec {
  write(request: EmbeddingRequest): WholeLaneParts
  readReply(body: JsonValue): EmbeddingReply | Failure
}

export interface ChannelCodecOptions {
  readonly target: Target
  readonly provider: Provider
  readonly channelFormat: ChannelFormat
  readonly format: ChannelEmbeddings
}

/** Creates a codec for vectors of a channel whose format differs from the caller's. */
export function createChannelCodec(
  exchange: ForAttempt<EmbeddingExchange>,
  { target, provider, channelFormat, format }: ChannelCodecOptions,
): EmbeddingCodec {
  const path = pathOf(provider, { id: 'embeddings', path: format.path }, target)
  return {
    write(request) {
      const { value, losses } = format.writeRequest(request, target.upstreamModel)
      if (exchange.isStrict) refuseLosses(losses, exchange.format)
      return {
        kind: 'translated',
        path,
        headers: {},
        body: jsonBody(value),
        losses,
        readError: errorReaderOf(provider, channelFormat),
      }
    },
    readReply(body) {
      const reply = format.readReply(body)
      return isFailure(reply) || reply.model !== '' ? reply : { ...reply, model: target.upstreamModel }
    },
  }
}
