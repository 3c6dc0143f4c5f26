import { idPrefixes } from '../kit/random/ids.ts'

const UUID_BYTES = 16
/** The length of a UUID as text with its dashes. `DASHES_BEFORE` has the indexes of the bytes that follow a dash. */
const UUID_LENGTH = 36
const DASH = 0x2d
const DASHES_BEFORE: ReadonlySet<number> = new Set([4, 6, 8, 10])
const PADDING = Buffer.from([0])

type IdKind = keyof typeof idPrefixes

/** Writes an ID in 16 bytes where it has the form that Headgate mints, otherwise as its text. */
export function writeId(id: string, kind: IdKind): Uint8Array {
  const prefix = idPrefixes[kind]
  const uuid = id.startsWith(prefix) ? parseUuid(id, prefix.length) : undefined
  if (uuid !== undefined) return uuid
  const text = Buffer.from(id, 'utf8')
  // Sixteen bytes are always read as a UUID.
  return text.length === UUID_BYTES ? Buffer.concat([text, PADDING]) : text
}

const uuidDigits = /^(?:req_|row_)([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/

/** The bytes of `writeId` in hexadecimal digits. */
export function writeIdAsHex(id: string, kind: IdKind): string {
  const digits = id.startsWith(idPrefixes[kind]) ? uuidDigits.exec(id) : null
  if (digits !== null) return `${digits[1]}${digits[2]}${digits[3]}${digits[4]}${digits[5]}`
  return Buffer.from(writeId(id, kind)).toString('hex')
}

/**
 * Parses the UUID from `start` to the end of the text; undefined where there is no UUID. A loop for speed, since each
 * row of the ledger has two UUIDs.
 */
function parseUuid(text: string, start: number): Uint8Array | undefined {
  if (text.length !== start + UUID_LENGTH) return undefined
  const bytes = new Uint8Array(UUID_BYTES)
  let at = start
  for (let index = 0; index < UUID_BYTES; index += 1) {
    if (DASHES_BEFORE.has(index)) {
      if (text.charCodeAt(at) !== DASH) return undefined
      at += 1
    }
    const byte = digitAt(text, at) * 16 + digitAt(text, at + 1)
    if (Number.isNaN(byte)) return undefined
    bytes[index] = byte
    at += 2
  }
  return bytes
}

/** The value of a lower-case hexadecimal digit, or NaN. */
function digitAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  return unit >= 0x61 && unit <= 0x66 ? unit - 0x57 : Number.NaN
}

export function readId(bytes: Uint8Array, kind: IdKind): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.length !== UUID_BYTES) return buffer.toString('utf8').replace(/\0$/, '')
  const hex = buffer.toString('hex')
  return `${idPrefixes[kind]}${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
