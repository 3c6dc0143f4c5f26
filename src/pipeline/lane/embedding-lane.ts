import { type EmbeddingReply, type EmbeddingRequest, joinEmbeddings } from '../../canonical/embedding.ts'
import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import { noUsage, tokensOfBytes, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { stringifyInSteps } from '../../kit/json/stringify-in-steps.ts'
import type { EmbeddingEndpoint, Provider } from '../../providers/provider.ts'
import { jsonBody } from '../../upstream/upstream-body.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import { showCost, withCost } from '../exchange/answer-cost.ts'
import type { EmbeddingExchange, ForAttempt } from '../exchange/exchange.ts'
import { createChannelCodec, type EmbeddingCodec } from './embedding-codec.ts'
import {
  type AnswerBound,
  conversationBound,
  type Lane,
  type LaneCalls,
  type SplitLane,
  type WholeReply,
} from './lane.ts'
import { operationNotOffered } from './operation-not-offered.ts'
import { parseVectors } from './read-whole-reply.ts'
import { writeVerbatimCall } from './verbatim-lane.ts'
import { createWholeLane } from './whole-lane.ts'

/**
 * The maximum size of all vectors of an answer. The vectors of several calls are held until the last call has answered,
 * and then once more as the text of the answer. That text must stay below the longest possible string even where base64
 * becomes numbers.
 */
const MAX_JOINED_BYTES = 128 * 1024 * 1024

interface EmbeddingTarget {
  readonly target: Target
  readonly provider: Provider
  readonly channelFormat: ChannelFormat
}

/**
 * Opens the call for the vectors of one target, or several calls if the target does not accept all inputs at once.
 * Throws if the target has no embeddings.
 */
export function openEmbeddingLane(
  exchange: ForAttempt<EmbeddingExchange>,
  embeddingTarget: EmbeddingTarget,
): LaneCalls {
  const endpoint = findEndpoint(exchange, embeddingTarget)
  const channelEmbeddings = endpoint.format ?? embeddingTarget.channelFormat.embeddings
  const isOwn = embeddingTarget.target.channel.format === exchange.format.family
  if (channelEmbeddings !== undefined && !(isOwn && endpoint.format === undefined)) {
    const codec = createChannelCodec(exchange, { ...embeddingTarget, format: channelEmbeddings })
    return { type: 'calls', split: new JoinedCalls(exchange, codec, endpoint) }
  }
  const request = exchange.readRequest()
  const acceptsEncoding = request.encoding !== 'base64' || endpoint.base64
  if (request.inputs.length <= endpoint.maxInputs && acceptsEncoding)
    return { type: 'call', lane: openOneCall(exchange, embeddingTarget) }
  return {
    type: 'calls',
    split: new JoinedCalls(exchange, createCallerCodec(exchange, embeddingTarget), endpoint),
  }
}

function findEndpoint(
  { format, scanned }: ForAttempt<EmbeddingExchange>,
  { target, provider, channelFormat }: EmbeddingTarget,
): EmbeddingEndpoint {
  const declared = provider.endpoints?.embeddings
  const isSpoken =
    target.channel.format === format.family ||
    channelFormat.embeddings !== undefined ||
    declared?.format !== undefined
  const endpoint = isSpoken ? declared : undefined
  if (endpoint !== undefined) {
    return {
      ...endpoint,
      maxInputs:
        target.capabilities.maxEmbeddingInputs ??
        endpoint.maxInputsOf?.(target.upstreamModel) ??
        endpoint.maxInputs,
    }
  }
  throw operationNotOffered(scanned.model, 'embeddings')
}

/**
 * Opens one call that sends the caller's bytes. The vectors are passed on unchanged, unless the caller asked for
 * another encoding.
 */
function openOneCall(exchange: ForAttempt<EmbeddingExchange>, embeddingTarget: EmbeddingTarget): Lane {
  const request = exchange.readRequest()
  const vectors = { encoding: request.encoding, count: request.inputs.length }
  const call = { ...writeVerbatimCall(exchange, embeddingTarget), answerBound: boundOf(request) }
  return createWholeLane(call, (body) => readOneAnswer(body, exchange, vectors))
}

interface ExpectedVectors {
  readonly encoding: EmbeddingRequest['encoding'] | undefined
  readonly count: number
}

function* readOneAnswer(
  body: Buffer,
  exchange: ForAttempt<EmbeddingExchange>,
  { encoding, count }: ExpectedVectors,
): Steps<WholeReply | Failure> {
  const { format } = exchange
  const reply = yield* readVectors(format, body, count)
  if (isFailure(reply)) return reply
  const hasWantedEncoding =
    encoding === undefined || reply.vectors.every((vector) => vector.encoding === encoding)
  const { usage } = reply
  yield
  if (hasWantedEncoding)
    return { body: showCost(body, exchange, { usage, servedTier: undefined }), usage, losses: [] }
  const value = withCost(format.writeReply(reply, encoding), exchange, { usage, servedTier: undefined })
  return { body: yield* stringifyInSteps(value), usage, losses: [] }
}

/** Creates a codec that sends some of the inputs in the caller's own format. */
function createCallerCodec(
  exchange: ForAttempt<EmbeddingExchange>,
  embeddingTarget: EmbeddingTarget,
): EmbeddingCodec {
  const { format } = exchange
  const call = writeVerbatimCall(exchange, embeddingTarget)
  return {
    write(request) {
      return { ...call, body: jsonBody(format.writeRequest(request, embeddingTarget.target.upstreamModel)) }
    },
    readReply: (body) => format.readReply(body),
  }
}

/** Calls to one target whose vectors are joined, in the order of the inputs. */
class JoinedCalls implements SplitLane {
  readonly lanes: readonly Lane[]
  readonly #exchange: ForAttempt<EmbeddingExchange>
  readonly #replies: EmbeddingReply[] = []
  #bytes = 0

  constructor(exchange: ForAttempt<EmbeddingExchange>, codec: EmbeddingCodec, endpoint: EmbeddingEndpoint) {
    this.#exchange = exchange
    const request = exchange.readRequest()
    const parts = cutIntoParts(request, endpoint)
    this.lanes = parts.map((part, index) =>
      createWholeLane({ ...codec.write(part), answerBound: boundOf(request) }, (answer) =>
        this.#read(answer, { codec, inputs: part.inputs.length, index }),
      ),
    )
  }

  get losses() {
    return this.lanes[0]?.losses ?? []
  }

  join(): Steps<WholeReply | Failure> {
    return joinAll(this.#replies, this.#exchange)
  }

  *#read(answer: Buffer, { codec, inputs, index }: JoinedCall): Steps<WholeReply | Failure> {
    this.#bytes += answer.length
    // The remaining calls bring about as much as those before. Vectors that cannot be held are not requested.
    if ((this.#bytes / (index + 1)) * this.lanes.length > MAX_JOINED_BYTES)
      return tooManyVectors(this.#exchange.readRequest())
    const reply = yield* readVectors(codec, answer, inputs)
    if (isFailure(reply)) return reply
    this.#replies[index] = reply
    return { body: '', usage: reply.usage, losses: [] }
  }
}

interface JoinedCall {
  readonly codec: EmbeddingCodec
  /** The number of inputs. */
  readonly inputs: number
  readonly index: number
}

/**
 * The bound of an answer with vectors. Two thousand vectors of numbers are larger than the answer of any conversation.
 */
function boundOf(request: EmbeddingRequest): AnswerBound {
  return { maxBytes: MAX_JOINED_BYTES, refuse: () => tooManyVectors(request) }
}

function tooManyVectors({ inputs }: EmbeddingRequest): Failure {
  // One vector is never so large, so the provider sent something else.
  if (inputs.length === 1) return conversationBound.refuse()
  return createFailure('request_too_large', {
    param: 'input',
    message: `The vectors of these ${inputs.length} inputs would be more than this gateway holds for one answer (${MAX_JOINED_BYTES / 1024 / 1024} MB). Send the inputs in several requests, or ask for base64.`,
  })
}

function* joinAll(
  replies: readonly EmbeddingReply[],
  exchange: ForAttempt<EmbeddingExchange>,
): Steps<WholeReply | Failure> {
  const [first, ...others] = replies
  if (first === undefined) return createFailure('upstream_empty')
  const reply = joinEmbeddings(first, others)
  const usage = reply.usage ?? estimateInput(exchange)
  const value = exchange.format.writeReply({ ...reply, usage }, exchange.readRequest().encoding)
  yield
  return {
    body: yield* stringifyInSteps(withCost(value, exchange, { usage, servedTier: undefined })),
    usage,
    losses: [],
  }
}

/** The usage of an answer without any. OpenAI's clients require one, and not every provider counts its vectors. */
function estimateInput({ callerRequest }: ForAttempt<EmbeddingExchange>): Usage {
  return { ...noUsage, freshInputTokens: tokensOfBytes(callerRequest.body.length), isEstimated: true }
}

/**
 * Cuts the inputs into one request for each call. Vectors are requested as numbers where the provider knows no base64.
 */
function cutIntoParts(request: EmbeddingRequest, endpoint: EmbeddingEndpoint): readonly EmbeddingRequest[] {
  const { encoding, inputs, ...rest } = request
  const sentEncoding = encoding === 'base64' && !endpoint.base64 ? 'float' : encoding
  const parts: EmbeddingRequest[] = []
  for (let start = 0; start < inputs.length; start += endpoint.maxInputs) {
    const some = inputs.slice(start, start + endpoint.maxInputs)
    parts.push(
      sentEncoding === undefined
        ? { ...rest, inputs: some }
        : { ...rest, inputs: some, encoding: sentEncoding },
    )
  }
  return parts
}

/**
 * Reads one vector for each input. An answer with another number of vectors is a failure, since a caller would assign
 * the vectors to the wrong texts.
 */
function* readVectors(
  codec: Pick<EmbeddingCodec, 'readReply'>,
  body: Buffer,
  count: number,
): Steps<EmbeddingReply | Failure> {
  const parsed = yield* parseVectors(body)
  if (isFailure(parsed)) return parsed
  yield
  const reply = codec.readReply(parsed.json)
  if (isFailure(reply) || reply.vectors.length === count) return reply
  return createFailure('upstream_bad_response', {
    message: `The model provider sent ${reply.vectors.length} vectors for ${count} inputs.`,
  })
}
