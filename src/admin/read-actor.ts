import { authorOf, credentialOf } from '../access/people/principal.ts'
import type { Actor } from '../canonical/audit.ts'
import { refuse } from '../canonical/refusal.ts'
import type { AdminRequest } from './admin-route.ts'
import type { ConfigAuthor } from './config/config-operations.ts'

/** The sender of the request, as the actor of its audit record. */
export function readActor({ principal, address }: AdminRequest): Actor {
  return { author: authorOf(principal), credential: credentialOf(principal), address }
}

interface Stated {
  readonly base_version?: number | undefined
  readonly comment?: string | undefined
}

/** The author of a change and the version that it is based on: that of the header, or else that of the body. */
export function readConfigAuthor(request: AdminRequest, stated: Stated = {}): ConfigAuthor {
  const { base_version, comment } = stated
  return { ...readActor(request), comment, baseVersion: readIfMatch(request.ifMatch) ?? base_version }
}

function readIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const [, number] = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header.trim()) ?? []
  if (number !== undefined) return Number(number)
  throw refuse('invalid_field', {
    param: 'if-match',
    message: 'The header "If-Match" must be the number of a version, as the ETag of an answer gives it.',
    fact: { code: 'wrong_version', values: {} },
  })
}
