const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_BYTES = 16
const PADDING = Buffer.from([0])

/** What stands before the UUID of an id that we mint. */
export const idPrefixes = { request: 'req_', row: 'row_' } as const
type IdKind = keyof typeof idPrefixes

/** An id in 16 bytes where it is of the form that we mint, else its text. */
export function writeId(id: string, kind: IdKind): Uint8Array {
  const prefix = idPrefixes[kind]
  const name = id.slice(prefix.length)
  if (id.startsWith(prefix) && UUID.test(name)) return Buffer.from(name.replaceAll('-', ''), 'hex')
  const text = Buffer.from(id, 'utf8')
  // Sixteen bytes are always a UUID.
  return text.length === UUID_BYTES ? Buffer.concat([text, PADDING]) : text
}

export function readId(bytes: Uint8Array, kind: IdKind): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.length !== UUID_BYTES) return buffer.toString('utf8').replace(/\0$/, '')
  const hex = buffer.toString('hex')
  return `${idPrefixes[kind]}${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
