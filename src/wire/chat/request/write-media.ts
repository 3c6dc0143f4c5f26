import type { AudioBlock, ImageBlock, VideoBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { CONTENT_PATH } from '../../fields/lose.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { withExtras } from '../values/extras.ts'
import { cacheMarkField, type WriteContext } from './write-context.ts'

/** Returns the URL; undefined also where the server cannot fetch media of this kind. */
function fetchableAddress(
  { type, source }: ImageBlock | VideoBlock,
  { dialect }: WriteContext,
): string | undefined {
  const isRefused = source.type === 'url' && !dialect.mediaAddresses.includes(type)
  return isRefused ? undefined : writeMediaUrl(source)
}

export function writeImage(block: ImageBlock, context: WriteContext): JsonObject | undefined {
  const url = fetchableAddress(block, context)
  if (url === undefined) {
    context.losses.lose('image', 'dropped')
    return undefined
  }
  const part = {
    type: 'image_url',
    image_url: omitUndefined({ url, detail: block.detail }),
    ...cacheMarkField(block.cache, context),
  }
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}

export function writeAudio(block: AudioBlock, context: WriteContext): JsonObject | undefined {
  const { id, data, encoding, transcript, expiresAtSeconds } = block
  if (data === undefined || encoding === undefined) {
    context.losses.lose('audio', 'dropped')
    return undefined
  }
  if (id !== undefined || transcript !== undefined || expiresAtSeconds !== undefined) {
    context.losses.lose('audio', 'approximated')
  }
  const part = { type: 'input_audio', input_audio: { data, format: encoding } }
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}

/** Writes a video in the form that OpenRouter, vLLM and others share. The official format has no form for videos. */
export function writeVideo(block: VideoBlock, context: WriteContext): JsonObject | undefined {
  const url = fetchableAddress(block, context)
  if (url === undefined) {
    context.losses.lose('video', 'dropped')
    return undefined
  }
  const part = { type: 'video_url', video_url: { url } }
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}
