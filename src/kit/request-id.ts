import { randomUUID } from 'node:crypto'

/** Two hex digits for each byte: a number's own way to write them costs as much as the whole id. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Names one request. Minted by us alone: an id that a caller sends never names anything of ours. A UUID of version 7
 * (RFC 9562, 5.7): those of one time stand together, so that an index of them grows at its end and not all over.
 */
export function createRequestId(nowMs: number): string {
  const time = Math.floor(nowMs)
  const high = Math.floor(time / 2 ** 32)
  const low = time | 0
  const front = hexOf(high >>> 8) + hexOf(high) + hexOf(low >>> 24) + hexOf(low >>> 16)
  // All that follows the version's digit is chance, the variant apart, which is the same in versions 4 and 7.
  return `req_${front}-${hexOf(low >>> 8)}${hexOf(low)}-7${randomUUID().slice(15)}`
}

function hexOf(number: number): string {
  return HEX[number & 0xff] ?? ''
}
