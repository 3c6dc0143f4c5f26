import type { BlockStart } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readMediaUrl } from '../../fields/media-url.ts'
import { toExtras } from './extras.ts'

/** Reads a generated image. A part without an image stays unchanged. */
export function readGeneratedImage(part: JsonObject): BlockStart {
  const holder = part['image_url']
  const url = isJsonObject(holder) ? holder['url'] : holder
  if (typeof url !== 'string') return { type: 'opaque', format: 'chat', value: part }
  const { type: _type, image_url: _url, ...more } = part
  const inner = isJsonObject(holder) ? holder : {}
  const { url: _address, detail, ...innerMore } = inner
  return omitUndefined({
    type: 'image' as const,
    source: readMediaUrl(url),
    detail: typeof detail === 'string' ? detail : undefined,
    ...toExtras(more, { image_url: Object.keys(innerMore).length === 0 ? undefined : innerMore }),
  })
}
