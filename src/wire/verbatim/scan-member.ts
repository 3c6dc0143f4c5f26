import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { type MemberSpan, type ScanFault, scanObject } from '../../kit/json/scan-object.ts'
import type { FieldSpan, ScannedRequest } from '../wire-format.ts'
import { scanError } from './scan-body.ts'

/** The object in a field of a body. Its members are spans of that body. */
export type ScannedMember = Pick<ScannedRequest, 'body' | 'fields' | 'insertAt' | 'isEmpty'>

const OPEN_BRACE = 0x7b

/**
 * Finds the members of an object in a field, as `scanBody` does for the body. Undefined where the field does not hold
 * an object. Throws `duplicate_field` where a name appears more than once in it: of two prices or caps, another reader
 * may use the other one.
 */
export function scanMember(
  { body }: Pick<ScannedRequest, 'body'>,
  field: FieldSpan,
): ScannedMember | undefined {
  const scanned = scanInner(body, field)
  if (scanned === undefined || !('fault' in scanned)) return scanned
  if (scanned.fault === 'duplicate') throw isTwice(`${field.name}.${scanned.name}`)
  throw scanError(scanned)
}

/**
 * Finds the members of an object in JSON that is not a caller's. Returns the faults of the JSON instead of throwing
 * them.
 */
export function scanInner(body: BodyBytes, field: FieldSpan): ScannedMember | ScanFault | undefined {
  const { valueStart, valueEnd } = field
  if (body.at(valueStart) !== OPEN_BRACE) return undefined
  const scanned = scanObject(BodyBytes.from(body.slice(valueStart, valueEnd)))
  if ('fault' in scanned) return scanned
  const fields = new Map<string, MemberSpan>()
  for (const [folded, member] of scanned.members) {
    fields.set(folded, {
      name: member.name,
      nameStart: member.nameStart + valueStart,
      valueStart: member.valueStart + valueStart,
      valueEnd: member.valueEnd + valueStart,
      texts: member.texts,
    })
  }
  return { body, fields, insertAt: scanned.insertAt + valueStart, isEmpty: fields.size === 0 }
}

function isTwice(param: string): GatewayError {
  return new GatewayError('duplicate_field', {
    param,
    message: `The field "${param}" is present more than once in the body, letter case aside. Send it once.`,
  })
}
