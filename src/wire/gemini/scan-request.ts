import { GatewayError } from '../../canonical/failure.ts'
import type { BodyBytes } from '../../kit/body-bytes.ts'
import { scanFields } from '../scan-body.ts'
import type { RequestTerms, ScannedRequest } from '../wire-format.ts'
import { requestFields } from './fields.ts'

/** Every field of the format in both of its spellings, since each routes, steers, prices or is the prompt itself. */
const watched: ReadonlySet<string> = new Set(
  Object.keys(requestFields).flatMap((name) => [name.toLowerCase(), snakeCase(name)]),
)

const spellings: ReadonlySet<string> = new Set(
  Object.keys(requestFields).flatMap((name) => [name, snakeCase(name)]),
)

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Model and stream are what the path says; a body may name the model as well, which is then written anew. */
export function scanRequest(body: BodyBytes, terms?: RequestTerms): ScannedRequest {
  if (terms === undefined) throw new GatewayError('internal_error', {}, { cause: new Error('no terms') })
  const scanned = scanFields(body, new Set())
  for (const [folded, { name }] of scanned.fields) {
    if (watched.has(folded) && !spellings.has(name)) throw misspelt(name)
  }
  if (!scanned.fields.has('contents')) {
    throw new GatewayError('missing_field', {
      param: 'contents',
      message: 'The field "contents" is missing.',
    })
  }
  return { ...scanned, ...terms, terms }
}

/** A laxer upstream would read it as the field that it looks like. */
function misspelt(name: string): GatewayError {
  const meant = [...spellings].find((own) => own.toLowerCase() === name.toLowerCase()) ?? name
  return new GatewayError('invalid_field', {
    param: name,
    message: `The field "${name}" must be written "${meant}".`,
  })
}
