import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { NumberRangeError, parseJson } from '../../kit/json/parse-json.ts'
import type { RequestTerms, ScannedRequest } from '../wire-format.ts'

/**
 * Parses a scanned body for the translated lane, which reads every field. `model` and `stream` from the path are added,
 * so that readers find all fields in one object.
 */
export function parseBody(scanned: ScannedRequest): JsonObject {
  try {
    const { body } = scanned
    const value = parseJson(body.text(), body.inspection.scan.mayHoldWideNumber)
    if (isJsonObject(value)) return withTerms(value, scanned.terms)
  } catch (cause) {
    const message =
      cause instanceof NumberRangeError
        ? `The body holds a number that cannot be kept: ${cause.message}.`
        : undefined
    throw new GatewayError('invalid_json', message === undefined ? {} : { message }, { cause })
  }
  throw new GatewayError('body_not_object')
}

function withTerms(body: JsonObject, terms: RequestTerms | undefined): JsonObject {
  return terms === undefined ? body : { ...body, model: terms.model, stream: terms.isStream }
}
