import { randomFillSync } from 'node:crypto'
import { type Branded, brand } from '../brand.ts'

/** Identifies one attempt in the ledger. */
export type LedgerRowId = Branded<string, 'LedgerRowId'>

/** The prefixes before the UUID of IDs that are created here. */
export const idPrefixes = { request: 'req_', row: 'row_' } as const

const HEX = Buffer.from('0123456789abcdef', 'latin1')
/** The number of IDs for which one call draws the random bytes. */
const IDS_A_DRAW = 128
const CHANCE_BYTES = 10
const chance = Buffer.alloc(IDS_A_DRAW * CHANCE_BYTES)
let used = chance.length

/** The buffer that each UUID overwrites. It contains the digits that are the same in all UUIDs. */
const text = Buffer.from('00000000-0000-7000-8000-000000000000', 'latin1')
/** The offsets in the text of the two digits of each of the sixteen bytes. */
const hexOffsets = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const TIME_BYTES = 6

/** Creates the ID of a request. Only Headgate makes request IDs: an ID from a caller never names an object here. */
export function createRequestId(nowMs: number): string {
  return idPrefixes.request + createUuid(nowMs)
}

/**
 * Creates the ID of a ledger row. Only Headgate makes these IDs. The store saves them, and request IDs, in 16 bytes.
 */
export function createLedgerRowId(nowMs: number): LedgerRowId {
  return brand<LedgerRowId>(idPrefixes.row + createUuid(nowMs))
}

/** Creates the ID of a certification. Later ones have greater IDs. */
export function createCertificationId(nowMs: number): string {
  return `cert_${createUuid(nowMs)}`
}

/** The prefixes of object IDs, as the objects' own APIs have them. */
const objectPrefixes = {
  file: 'file-',
  batch: 'batch_',
  'message-batch': 'msgbatch_',
  'message-file': 'file_',
} as const

/** Creates the ID of a file or a batch as callers see it. Later ones have greater IDs. */
export function createObjectId(type: keyof typeof objectPrefixes, nowMs: number): string {
  return objectPrefixes[type] + createUuid(nowMs)
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether an ID has the form of callers' objects here, including those of `createPlainObjectId`. */
export function isObjectId(id: string): boolean {
  return UUID.test(id) || /^[0-9a-f]{12}7[0-9a-f]{19}$/.test(id)
}

/** Creates an object ID of letters and digits only. */
export function createPlainObjectId(nowMs: number): string {
  return createUuid(nowMs).replaceAll('-', '')
}

/**
 * Creates a UUID of version 7 (RFC 9562, 5.7). IDs of the same time are neighbors, so an index of them grows at its
 * end.
 */
function createUuid(nowMs: number): string {
  const time = Math.floor(nowMs)
  const high = Math.floor(time / 2 ** 32)
  const low = time | 0
  writeByte(0, high >>> 8)
  writeByte(1, high)
  writeByte(2, low >>> 24)
  writeByte(3, low >>> 16)
  writeByte(4, low >>> 8)
  writeByte(5, low)
  if (used === chance.length) {
    randomFillSync(chance)
    used = 0
  }
  for (let index = 0; index < CHANCE_BYTES; index += 1) {
    const byte = chance[used + index] ?? 0
    if (index === 0) writeByte(TIME_BYTES, 0x70 | (byte & 0x0f))
    else if (index === 2) writeByte(TIME_BYTES + index, 0x80 | (byte & 0x3f))
    else writeByte(TIME_BYTES + index, byte)
  }
  used += CHANCE_BYTES
  return text.toString('latin1')
}

function writeByte(index: number, byte: number): void {
  const offset = hexOffsets[index] ?? 0
  text[offset] = HEX[(byte >>> 4) & 0x0f] ?? 0
  text[offset + 1] = HEX[byte & 0x0f] ?? 0
}
