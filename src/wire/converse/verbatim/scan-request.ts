import { GatewayError } from '../../../canonical/failure.ts'
import { InvariantError } from '../../../kit/errors/invariant-error.ts'
import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { requireMessages, scanFields } from '../../verbatim/scan-body.ts'
import type { RequestTerms, ScannedRequest } from '../../wire-format.ts'
import { requestFields } from '../request/request-fields.ts'

const nameByFold: ReadonlyMap<string, string> = new Map(
  Object.keys(requestFields).map((name) => [name.toLowerCase(), name]),
)
const none: ReadonlySet<string> = new Set()

/**
 * Scans a body. The path has the model and selects streaming. Field names must have the exact spelling, because a
 * lenient upstream would accept another spelling.
 */
export function scanRequest(body: BodyBytes, terms?: RequestTerms): ScannedRequest {
  if (terms === undefined) throw new InvariantError('the terms of the path are missing')
  const scanned = { ...scanFields(body, none), ...terms, terms }
  for (const [fold, { name }] of scanned.fields) {
    const meant = nameByFold.get(fold)
    if (meant !== undefined && meant !== name) {
      throw new GatewayError('invalid_field', {
        param: name,
        message: `The field "${name}" must be written "${meant}".`,
      })
    }
  }
  requireMessages(scanned)
  return scanned
}
