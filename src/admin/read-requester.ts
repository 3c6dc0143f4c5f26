import { GatewayError } from '../canonical/failure.ts'
import type { AdminRequest } from './admin-route.ts'
import type { Requester } from './config-operations.ts'

/** There is one token and so one author. */
const AUTHOR = 'admin token'

interface Stated {
  readonly base_version?: number | undefined
  readonly comment?: string | undefined
}

/** Who makes a change, and to which version: the header's word, else the body's. */
export function readRequester({ ifMatch, address = '' }: AdminRequest, stated: Stated = {}): Requester {
  const { base_version, comment } = stated
  return { author: AUTHOR, address, comment, baseVersion: readIfMatch(ifMatch) ?? base_version }
}

function readIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const [, number] = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header.trim()) ?? []
  if (number !== undefined) return Number(number)
  throw new GatewayError('invalid_field', {
    param: 'if-match',
    message: 'The header "If-Match" must be the number of a version, as the ETag of an answer gives it.',
  })
}
