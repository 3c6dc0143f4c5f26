import type { ImageInput, ImageRequest } from '../../../canonical/operations/image.ts'
import { filesOf } from '../../../canonical/uploads/uploaded-form.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { invalidField, requireString } from '../../fields/read-field.ts'
import { parseBody } from '../../verbatim/parse-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { pixelsOf } from '../image-tokens.ts'

/** The fields that are read. Other fields can be served only by a channel of the caller's own format. */
const read: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'n',
  'size',
  'stream',
  'partial_images',
  'output_format',
  'image',
  'images',
  'mask',
  'user',
  'safety_identifier',
  'metadata',
])

/** Reads a request for images. Input images are files in a form or, in JSON, URLs. */
export function readRequest(scanned: ScannedRequest): ImageRequest {
  const body = parseBody(scanned)
  const files = filesOf(scanned.form)
  const inputs = [...files.filter(isInput).map(readFile), ...readReferences(body['images'])]
  return {
    prompt: requireString(body, 'prompt', ''),
    count: readCount(body['n']),
    size: readSize(body),
    inputs,
    hasMask: files.some(({ name }) => name === 'mask') || isJsonObject(body['mask']),
    isStream: scanned.isStream,
    outputFormat: typeof body['output_format'] === 'string' ? body['output_format'] : undefined,
    otherFields: Object.keys(body).filter((name) => isOther(name, body[name])),
  }
}

type File = ReturnType<typeof filesOf>[number]

/** Whether a file is an input image. Some clients number the images of a list: `image[0]`. */
function isInput({ name }: File): boolean {
  return /^image(?:\[\d*\])?$/.test(name)
}

/** Every image is written as base64, so a request for addresses cannot be carried. */
function isOther(name: string, value: JsonValue | undefined): boolean {
  if (value === null) return false
  return name === 'response_format' ? value !== 'b64_json' : !read.has(name)
}

function readFile({ mediaType, content }: File): ImageInput {
  return { type: 'file', mediaType, content }
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^;,]*)*;base64,/i

function readReferences(images: JsonValue | undefined): readonly ImageInput[] {
  if (!isJsonArray(images)) return []
  return images.map((image, index) => {
    const url = isJsonObject(image) ? image['image_url'] : undefined
    const [prefix = '', mediaType = ''] = (typeof url === 'string' && DATA_URL.exec(url)) || []
    return typeof url === 'string' && prefix !== ''
      ? { type: 'base64', mediaType, data: url.slice(prefix.length) }
      : { type: 'reference', param: `images[${index}]` }
  })
}

const MAX_IMAGES = 10

function readCount(n: JsonValue | undefined): number {
  if (n === undefined || n === null) return 1
  if (typeof n === 'number' && Number.isInteger(n) && n >= 1 && n <= MAX_IMAGES) return n
  throw invalidField('n', `a whole number from 1 to ${MAX_IMAGES}`)
}

function readSize({ size }: JsonObject): ImageRequest['size'] {
  if (size === undefined || size === null || size === 'auto') return undefined
  const found = pixelsOf(size)
  if (found === undefined) throw invalidField('size', 'a width and a height, such as "1024x1024", or "auto"')
  return found
}
