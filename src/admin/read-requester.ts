import type { Actor } from '../canonical/audit.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { AdminRequest } from './admin-route.ts'
import type { Requester } from './config/config-operations.ts'

/** There is one token and so one author. */
const AUTHOR = 'admin token'

/** Who asks, for the record of it. */
export function readActor({ address = '' }: AdminRequest): Actor {
  return { author: AUTHOR, address }
}

interface Stated {
  readonly base_version?: number | undefined
  readonly comment?: string | undefined
}

/** Who makes a change, and to which version: the header's word, else the body's. */
export function readRequester(request: AdminRequest, stated: Stated = {}): Requester {
  const { base_version, comment } = stated
  return { ...readActor(request), comment, baseVersion: readIfMatch(request.ifMatch) ?? base_version }
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
