import type { ImageBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import type { WriteContext } from './write-context.ts'

const details: ReadonlySet<string> = new Set(['auto', 'low', 'high'])

export function writeImage({ source, detail }: ImageBlock, context: WriteContext): JsonObject | undefined {
  const url = writeMediaUrl(source)
  if (url === undefined) {
    context.losses.lose('image', 'dropped')
    return undefined
  }
  const isKnown = detail === undefined || details.has(detail)
  if (!isKnown) context.losses.lose('image-detail', 'dropped')
  return { type: 'image_url', image_url: omitUndefined({ url, detail: isKnown ? detail : undefined }) }
}
