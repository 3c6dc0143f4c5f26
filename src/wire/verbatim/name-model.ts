import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { quoteText } from '../../kit/json/json.ts'
import { scanFields, setField, spliceBody } from './scan-body.ts'

const anyName: ReadonlySet<string> = new Set()

/**
 * The body with the model that its path names, which goes before one that it names itself. A body that cannot be
 * scanned stays as it is: the reader of its format refuses it.
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
