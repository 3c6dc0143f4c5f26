import type { MediaSource } from '../../canonical/content.ts'
import { tryDecodeUri } from '../../kit/bytes/try-decode-uri.ts'

/** The maximum length of the head of a `data:` URL. The rest may be megabytes long. */
const MAX_HEAD_CHARACTERS = 256
const DATA_URL = /^data:([^,]*?)(;base64)?,/

/**
 * Reads a URL as a source. A `data:` URL contains the bytes themselves, in base64 or as text with escapes (RFC 2397).
 */
export function readMediaUrl(url: string): MediaSource {
  const head = DATA_URL.exec(url.slice(0, MAX_HEAD_CHARACTERS))
  const mediaType = head?.[1]
  if (head === null || mediaType === undefined) return { type: 'url', url }
  const rest = url.slice(head[0].length)
  if (head[2] !== undefined) return { type: 'base64', mediaType, data: rest }
  const text = tryDecodeUri(rest)
  if (text === undefined) return { type: 'url', url }
  return { type: 'base64', mediaType, data: Buffer.from(text, 'utf8').toString('base64') }
}

/** Writes bytes as a `data:` URL. Undefined for files that a provider stores, since they have no URL. */
export function writeMediaUrl(source: MediaSource): string | undefined {
  if (source.type === 'url') return source.url
  return source.type === 'base64' ? `data:${source.mediaType};base64,${source.data}` : undefined
}
