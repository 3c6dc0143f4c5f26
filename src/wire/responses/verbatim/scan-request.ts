import { GatewayError } from '../../../canonical/failure.ts'
import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import type { AnswerForm } from '../../answer-form.ts'
import { fieldValue, scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { requestFields } from '../request/request-fields.ts'

/** Every field of the format, since each affects routing, behavior or price, or is the prompt itself. */
const watched: ReadonlySet<string> = new Set(Object.keys(requestFields))

/** A stored conversation can continue without new input. */
const storedState: readonly string[] = ['previous_response_id', 'conversation', 'prompt']

export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched)
  const { fields } = scanned
  if (!fields.has('input') && !storedState.some((name) => fields.has(name))) {
    throw new GatewayError('missing_field', { param: 'input', message: 'The field "input" is missing.' })
  }
  return scanned
}

/**
 * The maximum size of metadata that an answer repeats. OpenAI takes 16 names of 64 characters with texts of 512 (the
 * types of its SDK, seen 2026-12-01), which JSON writes in at most 55 KB.
 */
const MAX_METADATA_BYTES = 64 * 1024

/** Finds the metadata that the answer repeats. Undefined where it is larger than OpenAI takes, or not of texts. */
export function answerFormOf({ body, fields }: ScannedRequest): AnswerForm {
  const field = fields.get('metadata')
  if (field === undefined || field.valueEnd - field.valueStart > MAX_METADATA_BYTES) return {}
  const metadata = fieldValue(body, field)
  const isOfTexts =
    isJsonObject(metadata) && Object.values(metadata).every((text) => typeof text === 'string')
  return { metadata: isOfTexts ? metadata : undefined }
}
