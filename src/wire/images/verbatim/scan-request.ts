import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { missingField } from '../../fields/read-field.ts'
import { scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The top-level fields that affect routing, price or the form of the answer. */
const watched: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'n',
  'size',
  'quality',
  'stream',
  'partial_images',
  'output_format',
  'image',
  'images',
  'mask',
  'response_format',
  'frame_count',
])

export function scanGeneration(body: BodyBytes): ScannedRequest {
  return scanWith(body, ['prompt'])
}

/** Input images are files in the field `image` of a form, or references in `images` of a JSON body. */
export function scanEdit(body: BodyBytes): ScannedRequest {
  const scanned = scanWith(body, ['prompt'])
  if (!scanned.fields.has('image') && !scanned.fields.has('images')) throw missingField('image')
  return scanned
}

function scanWith(body: BodyBytes, required: readonly string[]): ScannedRequest {
  const scanned = scanBody(body, watched)
  for (const name of required) if (!scanned.fields.has(name)) throw missingField(name)
  return scanned
}
