import type { AudioBlock, ImageBlock, MediaSource, VideoBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isHeldFile } from '../../fields/lose-stored-file.ts'
import { withExtras } from '../values/extras.ts'
import { formatOfAddress, imageFormats, videoFormats } from '../values/media-types.ts'
import { hasOwnSource } from '../values/own-source.ts'
import type { WriteContext } from './write-context.ts'

/** Writes an image as bytes or as a location in S3. The provider fetches images from nowhere else. */
export function writeImage(block: ImageBlock, context: WriteContext): JsonObject | undefined {
  const { source, detail, extras } = block
  if (detail !== undefined) context.losses.lose('image-detail', 'dropped')
  const written = hasOwnSource(extras) ? {} : writeSource(source, imageFormats)
  if (written === undefined) {
    context.losses.lose('image', 'dropped')
    return undefined
  }
  return { image: withExtras(written, extras, { losses: context.losses, path: 'messages.content' }) }
}

export function writeVideo(block: VideoBlock, context: WriteContext): JsonObject | undefined {
  const written = hasOwnSource(block.extras) ? {} : writeSource(block.source, videoFormats)
  if (written === undefined) {
    context.losses.lose('video', 'dropped')
    return undefined
  }
  return { video: withExtras(written, block.extras, { losses: context.losses, path: 'messages.content' }) }
}

/** Writes audio as bytes. If only its transcript is known, writes the transcript. */
export function writeAudio(block: AudioBlock, context: WriteContext): JsonObject | undefined {
  const { data, encoding, transcript = '', extras } = block
  if (data !== undefined && encoding !== undefined) {
    const written = { format: encoding, source: { bytes: data } }
    return { audio: withExtras(written, extras, { losses: context.losses, path: 'messages.content' }) }
  }
  context.losses.lose('audio', transcript.trim() === '' ? 'dropped' : 'approximated')
  return transcript.trim() === '' ? undefined : { text: transcript }
}

/** Writes the source of media. Undefined if the format cannot carry it. */
export function writeSource(
  source: MediaSource,
  formats: ReadonlyMap<string, string>,
): JsonObject | undefined {
  if (source.type === 'file') return undefined
  if (source.type === 'base64') {
    const format = formats.get(source.mediaType.split(';')[0]?.trim().toLowerCase() ?? '')
    return format === undefined ? undefined : { format, source: { bytes: source.data } }
  }
  const format = isHeldFile(source.url) ? undefined : formatOfAddress(source.url, formats)
  return format === undefined ? undefined : { format, source: { s3Location: { uri: source.url } } }
}
