import type { Extras } from '../../../canonical/format.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { formatOfAddress } from './media-types.ts'

interface Holder {
  readonly format: string | undefined
  readonly source: JsonObject
}

/**
 * The fields of a medium whose source says more than the canonical form holds, unchanged for channels of this format: a
 * text in parts, and an S3 location that names the owner of its bucket or whose ending does not show the format. Empty
 * for all others.
 */
export function ownSourceFields(
  { format, source }: Holder,
  formats: ReadonlyMap<string, string>,
): Readonly<Record<string, JsonObject | string | undefined>> {
  const { content, s3Location: location } = source
  if (content !== undefined) return { format, source }
  if (!isJsonObject(location)) return {}
  const { uri, ...others } = location
  const isPlain = Object.keys(others).length === 0 && typeof uri === 'string'
  return isPlain && formatOfAddress(uri, formats) === format ? {} : { format, source }
}

/** Whether the extras hold the whole source, so that the canonical source must not replace it. */
export function hasOwnSource(extras: Extras | undefined): boolean {
  return extras?.format === 'converse' && isJsonObject(extras.fields['source'])
}
