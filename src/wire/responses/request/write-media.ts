import type { AudioBlock, ImageBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { CONTENT_PATH } from '../../fields/lose.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { withExtras } from '../values/extras.ts'

export function writeImage({ source, detail = 'auto', extras }: ImageBlock, losses: LossList): JsonObject {
  const address = source.type === 'file' ? { file_id: source.fileId } : { image_url: writeMediaUrl(source) }
  return withExtras({ type: 'input_image', detail, ...address }, extras, { losses, path: CONTENT_PATH })
}

export function writeAudio(block: AudioBlock, losses: LossList): JsonObject | undefined {
  const { id, data, encoding, transcript, expiresAtSeconds, extras } = block
  if (data === undefined || encoding === undefined) {
    losses.lose('audio', 'dropped')
    return undefined
  }
  if (id !== undefined || transcript !== undefined || expiresAtSeconds !== undefined) {
    losses.lose('audio', 'approximated')
  }
  const part = { type: 'input_audio', input_audio: { data, format: encoding } }
  return withExtras(part, extras, { losses, path: CONTENT_PATH })
}
