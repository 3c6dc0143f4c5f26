import { randomUUID } from 'node:crypto'

/** Names one request. Minted by us alone: an id that a caller sends never names anything of ours. */
export function createRequestId(): string {
  return `req_${randomUUID()}`
}
