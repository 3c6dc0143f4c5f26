import { authorOf, credentialOf } from '../access/people/principal.ts'
import type { Actor } from '../canonical/audit.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { AdminRequest } from './admin-route.ts'
import type { ConfigAuthor } from './config/config-operations.ts'

/** The one who makes the request, for its audit record. */
export function readActor({ principal, address }: AdminRequest): Actor {
  return { author: authorOf(principal), credential: credentialOf(principal), address }
}

interface Stated {
  readonly base_version?: number | undefined
  readonly comment?: string | undefined
}

/** The one who makes a change, and the version that it is based on: the header's value, else the body's. */
export function readConfigAuthor(request: AdminRequest, stated: Stated = {}): ConfigAuthor {
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
