interface Signature {
  readonly mediaType: string
  readonly offset: number
  readonly bytes: Buffer
  /** The bytes that must also be at offset 8, because many kinds of file share the container's first bytes. */
  readonly inner?: Buffer
}

const signatures: readonly Signature[] = [
  { mediaType: 'image/png', offset: 0, bytes: Buffer.from('89504e470d0a1a0a', 'hex') },
  { mediaType: 'image/jpeg', offset: 0, bytes: Buffer.from('ffd8ff', 'hex') },
  { mediaType: 'image/gif', offset: 0, bytes: Buffer.from('GIF87a') },
  { mediaType: 'image/gif', offset: 0, bytes: Buffer.from('GIF89a') },
  { mediaType: 'image/webp', offset: 0, bytes: Buffer.from('RIFF'), inner: Buffer.from('WEBP') },
  { mediaType: 'application/pdf', offset: 0, bytes: Buffer.from('%PDF-') },
  { mediaType: 'video/quicktime', offset: 4, bytes: Buffer.from('ftyp'), inner: Buffer.from('qt  ') },
  { mediaType: 'video/mp4', offset: 4, bytes: Buffer.from('ftyp') },
  { mediaType: 'video/webm', offset: 0, bytes: Buffer.from('1a45dfa3', 'hex') },
]

/** The number of leading bytes that identify every known kind of file. */
export const SNIFFED_BYTES = 12

/**
 * The media type of a file by its first bytes, whatever type it claims. Undefined where models do not accept such a
 * file.
 */
export function sniffMediaType(head: Buffer): string | undefined {
  return signatures.find(({ offset, bytes, inner }) => {
    if (!head.subarray(offset, offset + bytes.length).equals(bytes)) return false
    return inner === undefined || head.subarray(8, 8 + inner.length).equals(inner)
  })?.mediaType
}
