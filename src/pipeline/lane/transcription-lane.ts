import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import type {
  Transcript,
  TranscriptFormat,
  TranscriptionRequest,
} from '../../canonical/operations/transcription.ts'
import { SECOND_UNIT } from '../../canonical/operations/units.ts'
import { writeJsonWithFiles } from '../../canonical/uploads/json-with-files.ts'
import type { BodyPiece } from '../../canonical/uploads/uploaded-form.ts'
import { boundCount, noUsage, type Usage } from '../../canonical/usage.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { tryParsePlainJson } from '../../kit/json/try-parse-json.ts'
import { createUploadBody } from '../../uploads/upload-body.ts'
import type { ChannelTranscriptions, WrittenUpload } from '../../wire/operations/transcription-format.ts'
import { showCost } from '../exchange/answer-cost.ts'
import type { ForAttempt, TranscriptionExchange } from '../exchange/exchange.ts'
import { billsUnit, estimateMediaUsage } from '../exchange/media-usage.ts'
import { type Lane, type WholeReply, wholeJson } from './lane.ts'
import {
  fitsChannel,
  type MediaTarget,
  writeFormBody,
  writeOwnCall,
  writeTranslatedMediaCall,
} from './media-lane.ts'
import { operationNotOffered } from './operation-not-offered.ts'
import { parseReply } from './read-whole-reply.ts'
import { errorReaderOf } from './translated-call.ts'

/**
 * Opens the call for a transcript at one target. Throws if the target makes no transcripts or cannot carry the request.
 */
export function openTranscriptionLane(
  exchange: ForAttempt<TranscriptionExchange>,
  mediaTarget: MediaTarget,
): Lane {
  const { provider, target } = mediaTarget
  const { endpoints } = provider
  const isTranslation = exchange.format.id === 'translations'
  const endpoint = isTranslation ? endpoints?.translations : endpoints?.transcriptions
  const isOwn = endpoint === 'as-is' || endpoint === 'as-is-whole'
  if (isOwn && target.channel.format === exchange.format.family)
    return openOwnLane(exchange, mediaTarget, endpoint)
  if (endpoint === undefined || isOwn || !fitsChannel(mediaTarget))
    throw operationNotOffered(
      exchange.scanned.model,
      isTranslation ? 'translations of speech' : 'transcriptions',
    )
  return openTranslatedLane(exchange, mediaTarget, endpoint)
}

function openOwnLane(
  exchange: ForAttempt<TranscriptionExchange>,
  mediaTarget: MediaTarget,
  endpoint: 'as-is' | 'as-is-whole',
): Lane {
  const { responseFormat } = exchange.readRequest()
  const isText = responseFormat === 'text' || isTimed(responseFormat)
  const call = writeOwnCall(
    exchange,
    mediaTarget,
    ({ name }) => endpoint === 'as-is-whole' && name === 'stream',
  )
  return {
    ...call,
    whole: isText ? { type: 'text' } : wholeJson,
    readWhole: (body, replaysAsStream) => readOwn(body, { exchange, mediaTarget, isText, replaysAsStream }),
  }
}

interface TranscriptAnswerContext {
  readonly exchange: ForAttempt<TranscriptionExchange>
  readonly mediaTarget: MediaTarget
  readonly replaysAsStream: boolean
}

function* readOwn(
  body: Buffer,
  { exchange, mediaTarget, isText, replaysAsStream }: TranscriptAnswerContext & { readonly isText: boolean },
): Steps<WholeReply | Failure> {
  const { format } = exchange
  if (isText && !replaysAsStream) {
    const failure = findTextFailure(body, exchange)
    if (failure !== undefined) return failure
    const usage = usageOf(undefined, exchange, mediaTarget)
    return { body, contentType: 'text/plain; charset=utf-8', usage, losses: [] }
  }
  const parsed = yield* parseReply(body)
  if (isFailure(parsed)) return parsed
  const transcript = format.readTranscript(parsed.json)
  if (isFailure(transcript)) return transcript
  const usage = usageOf(transcript, exchange, mediaTarget)
  return replaysAsStream
    ? { body: format.writeEvents(transcript, usage), usage, losses: [] }
    : { body: showCost(body, exchange, { usage, servedTier: undefined }), usage, losses: [] }
}

/**
 * Returns the failure of an answer that should be a text or subtitles. Some servers ignore the requested form, and
 * others send an error with a successful status.
 */
function findTextFailure(
  body: Buffer,
  { format, readRequest }: ForAttempt<TranscriptionExchange>,
): Failure | undefined {
  const text = body.toString('utf8').trim()
  const parsed = text.startsWith('{') ? tryParsePlainJson(text) : undefined
  const failure = parsed === undefined ? undefined : format.watchReply(parsed).failure
  if (failure !== undefined || !isTimed(readRequest().responseFormat)) return failure
  // The subtitles of silence are empty, or have only the first line of the format.
  const hasTimes = text === '' || text.startsWith('WEBVTT') || text.includes('-->')
  return hasTimes ? undefined : withoutTimes()
}

function withoutTimes(): Failure {
  return createFailure('upstream_bad_response', {
    message: 'The model provider sent a transcript without the times that were asked for.',
  })
}

function openTranslatedLane(
  exchange: ForAttempt<TranscriptionExchange>,
  mediaTarget: MediaTarget,
  endpoint: ChannelTranscriptions,
): Lane {
  const { provider, target, formats } = mediaTarget
  const { format } = exchange
  const request = exchange.readRequest()
  const { path, body: written, losses } = endpoint.writeRequest(request, target.upstreamModel)
  const call = writeTranslatedMediaCall(exchange, mediaTarget, {
    operation: { id: endpoint.operationId ?? format.id, path },
    ...writeUpload(written, mediaTarget),
    losses,
    readError: errorReaderOf(provider, formats[target.channel.format]),
  })
  return {
    ...call,
    whole: wholeJson,
    readWhole: (body, replaysAsStream) =>
      readTranslated(body, { exchange, mediaTarget, endpoint, request, replaysAsStream }),
  }
}

interface TranslatedTranscript extends TranscriptAnswerContext {
  readonly endpoint: ChannelTranscriptions
  readonly request: TranscriptionRequest
}

function* readTranslated(
  body: Buffer,
  { exchange, mediaTarget, endpoint, request, replaysAsStream }: TranslatedTranscript,
): Steps<WholeReply | Failure> {
  const { format } = exchange
  const parsed = yield* parseReply(body)
  if (isFailure(parsed)) return parsed
  const transcript = endpoint.readReply(parsed.json)
  if (isFailure(transcript)) return transcript
  if (isTimed(request.responseFormat) && transcript.segments.length === 0 && transcript.text !== '')
    return withoutTimes()
  const usage = usageOf(transcript, exchange, mediaTarget)
  if (replaysAsStream) return { body: format.writeEvents(transcript, usage), usage, losses: [] }
  return { ...format.writeTranscript(transcript, request, usage), usage, losses: [] }
}

function isTimed(format: TranscriptFormat): boolean {
  return format === 'srt' || format === 'vtt'
}

function writeUpload(written: WrittenUpload, { clock }: MediaTarget): Pick<Lane, 'headers' | 'body'> {
  switch (written.type) {
    case 'form':
      return writeFormBody(written.parts, clock)
    case 'json':
      return { headers: {}, body: uploadOf(writeJsonWithFiles(written.value)) }
    case 'file': {
      const { mediaType, content } = written.file
      return { headers: { 'content-type': mediaType }, body: uploadOf([{ content, encoding: 'raw' }]) }
    }
  }
}

function uploadOf(pieces: readonly BodyPiece[]): Lane['body'] {
  return { type: 'upload', upload: createUploadBody(pieces) }
}

/** The usage in the unit that the target bills: seconds or tokens, stated or estimated. */
function usageOf(
  transcript: Pick<Transcript, 'usage' | 'seconds'> | undefined,
  exchange: ForAttempt<TranscriptionExchange>,
  { target }: MediaTarget,
): Usage {
  const { usage: stated, seconds } = transcript ?? { usage: undefined, seconds: undefined }
  if (billsUnit(SECOND_UNIT, target)) {
    if (stated?.toolCalls[SECOND_UNIT] !== undefined) return stated
    if (seconds !== undefined)
      return { ...(stated ?? noUsage), toolCalls: { [SECOND_UNIT]: boundCount(seconds) } }
    const estimate = estimateMediaUsage(exchange, target)
    return { ...estimate, ...(stated && tokensOf(stated)), toolCalls: estimate.toolCalls }
  }
  const hasTokens = stated !== undefined && stated.freshInputTokens + stated.outputTokens > 0
  return hasTokens ? stated : estimateMediaUsage(exchange, target)
}

function tokensOf({ toolCalls: _, isEstimated: __, ...tokens }: Usage) {
  return tokens
}
