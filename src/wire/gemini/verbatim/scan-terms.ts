import { GatewayError } from '../../../canonical/failure.ts'
import { InvariantError } from '../../../kit/errors/invariant-error.ts'
import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { missingField } from '../../fields/read-field.ts'
import { scanFields } from '../../verbatim/scan-body.ts'
import type { RequestTerms, ScannedRequest } from '../../wire-format.ts'
import { doubled } from '../request/read-inner.ts'

export interface ScanPlan {
  /** Fields that affect routing, behavior or price, or are the prompt itself, under the names of their tables. */
  readonly fields: readonly string[]
  /** The fields of which at least one must be present. */
  readonly required: readonly [string, ...string[]]
}

/**
 * Scans bodies of requests that name the model and streaming in the path. Proto JSON has two spellings for a field,
 * `camelCase` and `snake_case`. A third spelling is refused, since a lenient upstream would read it as that field.
 */
export function createTermsScan({
  fields,
  required,
}: ScanPlan): (body: BodyBytes, terms?: RequestTerms) => ScannedRequest {
  const spellings = new Set(fields.flatMap((name) => [name, snakeCase(name)]))
  const folded = new Map([...spellings].map((name) => [name.toLowerCase(), name]))
  const none: ReadonlySet<string> = new Set()
  return (body, terms) => {
    if (terms === undefined) throw new InvariantError('the terms of the path are missing')
    const scanned = scanFields(body, none)
    for (const [key, { name }] of scanned.fields) {
      const meant = folded.get(key)
      if (meant !== undefined && !spellings.has(name)) throw misspeltField(name, meant)
    }
    const both = fields.find((name) => snakeCase(name) !== name && hasBoth(scanned.fields, name))
    if (both !== undefined) throw doubled(both)
    const isThere = required.some(
      (name) => scanned.fields.has(name.toLowerCase()) || scanned.fields.has(snakeCase(name)),
    )
    if (!isThere) throw missingField(required[0])
    return { ...scanned, ...terms, terms }
  }
}

function hasBoth(fields: ScannedRequest['fields'], name: string): boolean {
  return fields.has(name.toLowerCase()) && fields.has(snakeCase(name))
}

/** The other name of a field in proto JSON. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The error for a field that is spelled like neither of its two names. */
export function misspeltField(name: string, meant: string): GatewayError {
  return new GatewayError('invalid_field', {
    param: name,
    message: `The field "${name}" must be written "${meant}".`,
  })
}
