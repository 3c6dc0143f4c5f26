import { GatewayError } from '../../canonical/failure.ts'
import { MAX_BODY_DEPTH } from '../../kit/json/body-bytes.ts'
import { isDeepJson } from '../../kit/json/is-deep-json.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { joinPath, requireString } from '../fields/read-field.ts'

/**
 * Reads a call's `arguments`, which are JSON in a string. They may not nest deeper than a body, since some channels
 * accept them as an object. Throws `GatewayError` (400).
 */
export function requireArguments(holder: JsonObject, path: string): string {
  const text = requireString(holder, 'arguments', path)
  if (!isDeepJson(text)) return text
  const param = joinPath(path, 'arguments')
  throw new GatewayError('json_too_deep', {
    param,
    message: `The JSON in "${param}" is nested more than ${MAX_BODY_DEPTH} levels deep.`,
  })
}
