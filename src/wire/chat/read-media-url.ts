import type { MediaSource } from '../../canonical/content.ts'

const DATA_URL = /^data:([^,]*);base64,/

/** A URL as a source: `data:` URLs in base64 hold the bytes themselves. */
export function readMediaUrl(url: string): MediaSource {
  // Only the head is matched: the rest may be megabytes.
  const head = DATA_URL.exec(url.slice(0, 256))
  const mediaType = head?.[1]
  if (head === null || mediaType === undefined) return { type: 'url', url }
  return { type: 'base64', mediaType, data: url.slice(head[0].length) }
}
