import { randomUUID } from 'node:crypto'

const TIME_DIGITS = 12

/**
 * Names one request. Minted by us alone: an id that a caller sends never names anything of ours. A UUID of version 7
 * (RFC 9562, 5.7): those of one time stand together, so that an index of them grows at its end and not all over.
 */
export function createRequestId(nowMs: number): string {
  const time = Math.floor(nowMs).toString(16).padStart(TIME_DIGITS, '0')
  // All that follows the version's digit is chance, the variant apart, which is the same in versions 4 and 7.
  return `req_${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
