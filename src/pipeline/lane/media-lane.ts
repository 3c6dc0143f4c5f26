import type { ChannelFormatId } from '../../canonical/format.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { FormPart } from '../../canonical/uploads/uploaded-form.ts'
import type { Target } from '../../catalog/catalog.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Provider } from '../../providers/provider.ts'
import { pathOf } from '../../providers/registry.ts'
import { createUploadBody } from '../../uploads/upload-body.ts'
import { writeMultipart } from '../../uploads/write-multipart.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { ChannelFormat, Operation } from '../../wire/wire-format.ts'
import type { ForAttempt, MediaExchange } from '../exchange/exchange.ts'
import { createEventRelay } from '../relay/event-relay.ts'
import { boundOfAnswer, type Lane } from './lane.ts'
import { refuseLosses } from './translated-call.ts'
import { writeVerbatimCall } from './verbatim-lane.ts'

export interface MediaTarget {
  readonly target: Target
  readonly provider: Provider
  readonly formats: Readonly<Record<ChannelFormatId, ChannelFormat>>
  readonly clock: Pick<Clock, 'nowMs'>
}

/** A lane of media without the reading of whole answers. */
export type MediaCall = Omit<Lane, 'readWhole' | 'whole'>

/**
 * Whether the channel's format is the first one of its provider. A provider of several formats serves sound only at the
 * address of the first.
 */
export function fitsChannel({ provider, target }: MediaTarget): boolean {
  return target.channel.format === provider.formats[0]
}

/** Writes the caller's own request with the name of the model changed. A form is written again for each call. */
export function writeOwnCall(
  exchange: ForAttempt<MediaExchange>,
  mediaTarget: MediaTarget,
  isLeftOut: (part: FormPart) => boolean = () => false,
): MediaCall {
  const { form } = exchange.scanned
  const call = { ...writeVerbatimCall(exchange, mediaTarget), ...answersOf(exchange) }
  if (form === undefined) return call
  const { upstreamModel } = mediaTarget.target
  // The caller's path may have named the model, in which case the form does not.
  const parts = form.parts.filter((part) => !isModel(part) && !isLeftOut(part))
  const model: FormPart = { type: 'text', name: 'model', value: upstreamModel }
  return { ...call, ...writeFormBody([model, ...parts], mediaTarget.clock) }
}

function isModel(part: FormPart): boolean {
  return part.type === 'text' && part.name === 'model'
}

/** Writes a form as a body. The boundary is new each time, so that no caller can write the boundary into a part. */
export function writeFormBody(
  parts: readonly FormPart[],
  clock: MediaTarget['clock'],
): Pick<Lane, 'headers' | 'body'> {
  const boundary = `headgate-${createRequestId(clock.nowMs())}${createRequestId(clock.nowMs())}`
  const { contentType, pieces } = writeMultipart(parts, boundary)
  const body = { type: 'upload', upload: createUploadBody(pieces) } as const
  return { headers: { 'content-type': contentType }, body }
}

export interface TranslatedMediaCall extends Pick<Lane, 'body'> {
  readonly operation: { readonly id: Operation['id']; readonly path: Operation['path'] }
  readonly headers?: Lane['headers']
  readonly losses: readonly Loss[]
  readonly readError: Lane['readError']
}

/** Writes a request in the channel's own format. Throws if strict translation would lose a field. */
export function writeTranslatedMediaCall(
  exchange: ForAttempt<MediaExchange>,
  { target, provider }: MediaTarget,
  { operation, headers = {}, ...written }: TranslatedMediaCall,
): MediaCall {
  if (exchange.isStrict) refuseLosses(written.losses, exchange.format)
  return {
    ...answersOf(exchange),
    kind: 'translated',
    path: pathOf(provider, operation, target),
    // The answer arrives whole, whether or not the caller asked for a stream.
    headers: { accept: 'application/json', ...headers },
    answerHeaders: [],
    ...written,
  }
}

function answersOf({
  format,
  scanned,
}: ForAttempt<MediaExchange>): Pick<MediaCall, 'createStreamRelay' | 'answerBound'> {
  const { bounds } = format
  return {
    answerBound: boundOfAnswer(bounds.wholeBytes),
    createStreamRelay: (parser: FrameParser) =>
      createEventRelay({ parser, watcher: format.createWatcher(scanned), bounds }),
  }
}
