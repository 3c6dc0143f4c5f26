import type { MediaSource } from '../../canonical/content.ts'
import { SNIFFED_BYTES, sniffMediaType } from '../../kit/bytes/sniff-media-type.ts'
import { readMediaUrl } from './media-url.ts'
import { mediaTypeOfName } from './name-file.ts'

/** The characters of base64 in both alphabets. Eight characters are less than any file has. */
const BASE64 = /^[A-Za-z0-9+/_-]{8,}={0,2}$/
/** The base64 characters that hold `SNIFFED_BYTES`: four characters hold three bytes. */
const SNIFFED_CHARACTERS = (SNIFFED_BYTES / 3) * 4

/**
 * Reads the data of a file: a `data:` URL, an address, or bare base64, which OpenAI's reference describes and other
 * servers accept. The type of bare base64 follows from the first bytes or from the file's name. Where neither says it,
 * the data is read as an address.
 */
export function readFileData(data: string, name: string | undefined): MediaSource {
  const source = readMediaUrl(data)
  if (source.type !== 'url' || !BASE64.test(data)) return source
  const head = Buffer.from(data.slice(0, SNIFFED_CHARACTERS), 'base64')
  const mediaType = sniffMediaType(head) ?? (name === undefined ? undefined : mediaTypeOfName(name))
  return mediaType === undefined ? source : { type: 'base64', mediaType, data }
}
