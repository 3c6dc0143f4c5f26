import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { quoteText } from '../../kit/json/json.ts'
import { scanFields, setField, spliceBody } from './scan-body.ts'

const anyName: ReadonlySet<string> = new Set()

/**
 * Puts the model from the path into the body, where it replaces a model that the body names. A body that cannot be
 * scanned stays unchanged, since the reader of its format rejects it.
 */
export function nameModel(body: BodyBytes, model: string): BodyBytes {
  try {
    const scanned = scanFields(body, anyName)
    const field = scanned.fields.get('model')
    const json = quoteText(model)
    if (field !== undefined && body.textOf(field) === json) return body
    return BodyBytes.from(spliceBody(body, [setField(scanned, 'model', json)]))
  } catch (error) {
    if (error instanceof GatewayError) return body
    throw error
  }
}
