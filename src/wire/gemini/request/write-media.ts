import type { AudioBlock, ImageBlock, MediaSource, VideoBlock } from '../../../canonical/content.ts'
import type { LossFeature, LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isHeldFile, isInBucket } from '../../fields/lose-stored-file.ts'
import { withExtras } from '../values/extras.ts'
import { guessMediaType } from './read-media.ts'

export const PATH = 'messages.content'

export function writeImage(
  { source, detail, cache, extras }: ImageBlock,
  losses: LossList,
): JsonObject | undefined {
  if (cache !== undefined) losses.lose('cache-mark', 'dropped')
  if (detail !== undefined && detail !== 'auto') losses.lose('image-detail', 'dropped')
  const part = writeSource(source, { feature: 'image', fallback: 'image/jpeg', losses })
  return part === undefined ? undefined : withExtras(part, extras, { losses, path: PATH })
}

export function writeVideo({ source, extras }: VideoBlock, losses: LossList): JsonObject | undefined {
  const part = writeSource(source, { feature: 'video', fallback: 'video/mp4', losses })
  return part === undefined ? undefined : withExtras(part, extras, { losses, path: PATH })
}

/** Writes audio as inline bytes. If only a provider's ID is known (an earlier answer), the transcript is sent. */
export function writeAudio(block: AudioBlock, losses: LossList): JsonObject | undefined {
  const { id, data, encoding, transcript, expiresAtSeconds, extras } = block
  const path = { losses, path: PATH }
  if (data === undefined || encoding === undefined) {
    const isSaid = transcript !== undefined && transcript !== ''
    losses.lose('audio', isSaid ? 'approximated' : 'dropped')
    return isSaid ? withExtras({ text: transcript }, extras, path) : undefined
  }
  if (id !== undefined || transcript !== undefined || expiresAtSeconds !== undefined) {
    losses.lose('audio', 'approximated')
  }
  return withExtras({ inlineData: { mimeType: `audio/${encoding}`, data } }, extras, path)
}

interface SourceTarget {
  readonly feature: LossFeature
  /** The media type to use if the source names none. */
  readonly fallback: string
  readonly losses: LossList
}

/** Writes the source of media. The service fetches URLs itself. It knows no stored files but its own. */
export function writeSource(
  source: MediaSource,
  { feature, fallback, losses }: SourceTarget,
): JsonObject | undefined {
  if (source.type === 'base64') {
    // The service refuses `image/jpg`, which OpenAI accepts (github.com/CherryHQ/cherry-studio/pull/3088, 2025-03-09).
    const mimeType = source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType
    return { inlineData: { mimeType, data: source.data } }
  }
  const fileUri = source.type === 'url' ? source.url : source.fileId
  if ((source.type === 'file' && !isHeldFile(fileUri)) || isInBucket(source)) {
    losses.lose(feature, 'dropped')
    return undefined
  }
  return { fileData: { mimeType: guessMediaType(fileUri) ?? fallback, fileUri } }
}
