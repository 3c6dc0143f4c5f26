import { createFailure, type Failure, GatewayError, isFailure } from '../../canonical/failure.ts'
import type { ImageReply } from '../../canonical/operations/image.ts'
import { writeJsonWithFiles } from '../../canonical/uploads/json-with-files.ts'
import { addUsage, countsSomething, type Usage } from '../../canonical/usage.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import { createUploadBody } from '../../uploads/upload-body.ts'
import { readMembers } from '../../wire/openai/media/media-watcher.ts'
import type { ChannelImages } from '../../wire/operations/image-format.ts'
import { showCost, withCost } from '../exchange/answer-cost.ts'
import type { ForAttempt, ImageExchange } from '../exchange/exchange.ts'
import { estimateMediaUsage, withUnits } from '../exchange/media-usage.ts'
import { type Lane, type LaneCalls, type SplitLane, type WholeReply, wholeJson } from './lane.ts'
import { type MediaCall, type MediaTarget, writeOwnCall, writeTranslatedMediaCall } from './media-lane.ts'
import { operationNotOffered } from './operation-not-offered.ts'
import { encodeWhole, parseReply } from './read-whole-reply.ts'
import { errorReaderOf } from './translated-call.ts'

/** Opens the calls for images of one target. Throws if the target makes no images or cannot carry the request. */
export function openImageLane(exchange: ForAttempt<ImageExchange>, mediaTarget: MediaTarget): LaneCalls {
  const { provider, target } = mediaTarget
  const endpoint = provider.endpoints?.images
  const { format } = target.channel
  if (endpoint === 'as-is' && format === exchange.format.family)
    return { type: 'call', lane: openOwnLane(exchange, mediaTarget) }
  if (endpoint === undefined || endpoint === 'as-is' || endpoint.operation.id !== format)
    throw operationNotOffered(exchange.scanned.model, 'images')
  const { count, isStream } = exchange.readRequest()
  if (count === 1) return { type: 'call', lane: openTranslatedLane(exchange, mediaTarget, endpoint) }
  if (isStream) throw oneAtATime()
  return { type: 'calls', split: openSeveral(exchange, mediaTarget, endpoint) }
}

function oneAtATime(): GatewayError {
  return new GatewayError('cannot_be_carried', {
    param: 'n',
    message:
      'The channel for this model makes one image of a stream. Leave "n" out, or send the request without "stream".',
  })
}

/** Opens a call to OpenAI's own endpoint. The answer is passed on unchanged, and its images are not parsed. */
function openOwnLane(exchange: ForAttempt<ImageExchange>, mediaTarget: MediaTarget): Lane {
  return {
    ...writeOwnCall(exchange, mediaTarget),
    whole: wholeJson,
    readWhole: (body, replaysAsStream) => readOwn(body, { exchange, mediaTarget, replaysAsStream }),
  }
}

interface ImageAnswerContext {
  readonly exchange: ForAttempt<ImageExchange>
  readonly mediaTarget: MediaTarget
  readonly replaysAsStream: boolean
}

function* readOwn(
  body: Buffer,
  { exchange, mediaTarget, replaysAsStream }: ImageAnswerContext,
): Steps<WholeReply | Failure> {
  const { format } = exchange
  const fields = readMembers([body], ['usage', 'error', 'message', 'code'])
  if (fields === undefined) return createFailure('upstream_bad_response')
  yield
  const watched = { ...fields, data: holdsImages(body) ? 1 : 0 }
  const { failure, usage: stated } = format.watchReply(watched)
  if (failure !== undefined) return failure
  const usage = usageOf(stated, exchange, { ...mediaTarget, made: countImages(body) })
  if (!replaysAsStream)
    return { body: showCost(body, exchange, { usage, servedTier: undefined }), usage, losses: [] }
  const parsed = yield* parseReply(body)
  if (isFailure(parsed)) return parsed
  if (!isJsonObject(parsed.json)) return createFailure('upstream_bad_response')
  return { body: format.replayReply(parsed.json, unixSeconds(mediaTarget.clock.nowMs())), usage, losses: [] }
}

/** Whether the list of images is not empty. In the answers of nearly all servers, the list comes first. */
function holdsImages(body: Buffer): boolean {
  return (
    /"data"\s*:\s*\[\s*\{/.test(body.toString('latin1', 0, Math.min(body.length, 4_096))) ||
    holdsImagesLater(body)
  )
}

/** Whether a list of images that follows other members is not empty. The whole body is searched. */
function holdsImagesLater(body: Buffer): boolean {
  return body.length > 4_096 && body.includes('"data"') && body.includes('"b64_json"')
}

/** Counts the images of an answer by their members; undefined where they have other names. */
function countImages(body: Buffer): number | undefined {
  const count = Math.max(countOccurrences(body, '"b64_json"'), countOccurrences(body, '"url"'))
  return count === 0 ? undefined : count
}

/** Counts a name of members. A text cannot contain the name, since its quotes are escaped. */
function countOccurrences(body: Buffer, name: string): number {
  let count = 0
  for (let at = body.indexOf(name); at !== -1; at = body.indexOf(name, at + name.length)) count += 1
  return count
}

function usageOf(
  stated: Usage | undefined,
  exchange: ForAttempt<ImageExchange>,
  { target, made }: Pick<MediaTarget, 'target'> & { readonly made?: number | undefined },
): Usage {
  return countsSomething(stated)
    ? withUnits(stated, exchange, target, made)
    : estimateMediaUsage(exchange, target, made)
}

function openTranslatedLane(
  exchange: ForAttempt<ImageExchange>,
  mediaTarget: MediaTarget,
  endpoint: ChannelImages,
): Lane {
  return {
    ...writeCall(exchange, mediaTarget, endpoint),
    whole: wholeJson,
    readWhole: (body, replaysAsStream) =>
      readTranslated(body, { exchange, mediaTarget, endpoint, replaysAsStream }),
  }
}

function* readTranslated(
  body: Buffer,
  {
    exchange,
    mediaTarget,
    endpoint,
    replaysAsStream,
  }: ImageAnswerContext & { readonly endpoint: ChannelImages },
): Steps<WholeReply | Failure> {
  const reply = yield* readImages(body, endpoint)
  if (isFailure(reply)) return reply
  const usage = usageOf(reply.usage, exchange, mediaTarget)
  const answered = { ...reply, usage }
  if (!replaysAsStream) return yield* writeWhole(answered, exchange, mediaTarget)
  return {
    body: exchange.format.writeEvents(answered, unixSeconds(mediaTarget.clock.nowMs())),
    usage,
    losses: [],
  }
}

function writeCall(
  exchange: ForAttempt<ImageExchange>,
  mediaTarget: MediaTarget,
  endpoint: ChannelImages,
): MediaCall {
  const { target, provider, formats } = mediaTarget
  const { value, losses } = endpoint.writeRequest(exchange.readRequest(), target.upstreamModel)
  return writeTranslatedMediaCall(exchange, mediaTarget, {
    operation: endpoint.operation,
    body: { type: 'upload', upload: createUploadBody(writeJsonWithFiles(value)) },
    losses,
    readError: errorReaderOf(provider, formats[target.channel.format]),
  })
}

function* readImages(body: Buffer, endpoint: ChannelImages): Steps<ImageReply | Failure> {
  const parsed = yield* parseReply(body)
  return isFailure(parsed) ? parsed : endpoint.readReply(parsed.json)
}

function* writeWhole(
  reply: ImageReply & { readonly usage: Usage },
  exchange: ForAttempt<ImageExchange>,
  { clock }: MediaTarget,
): Steps<WholeReply> {
  const { usage } = reply
  const value = exchange.format.writeReply(reply, unixSeconds(clock.nowMs()))
  const body = yield* encodeWhole(withCost(value, exchange, { usage, servedTier: undefined }))
  return { body, usage, losses: [] }
}

/** Opens one call for each image, one after the other. Their answers are joined. */
function openSeveral(
  exchange: ForAttempt<ImageExchange>,
  mediaTarget: MediaTarget,
  endpoint: ChannelImages,
): SplitLane {
  const replies: ImageReply[] = []
  const call = writeCall(exchange, mediaTarget, endpoint)
  const one: Lane = {
    ...call,
    whole: wholeJson,
    readWhole: (body) => readPart(body, endpoint, replies),
  }
  return {
    lanes: Array.from({ length: exchange.readRequest().count }, () => one),
    losses: call.losses,
    join() {
      const images = replies.flatMap((reply) => reply.images)
      const usage = usageOf(sumOf(replies), exchange, mediaTarget)
      return writeWhole({ images, usage }, exchange, mediaTarget)
    },
  }
}

function* readPart(
  body: Buffer,
  endpoint: ChannelImages,
  replies: ImageReply[],
): Steps<WholeReply | Failure> {
  const reply = yield* readImages(body, endpoint)
  if (isFailure(reply)) return reply
  replies.push(reply)
  return { body: '', usage: reply.usage, losses: [] }
}

function sumOf(replies: readonly ImageReply[]): Usage | undefined {
  let sum: Usage | undefined
  for (const { usage } of replies) {
    if (usage === undefined) return undefined
    sum = sum === undefined ? usage : addUsage(sum, usage)
  }
  return sum
}
