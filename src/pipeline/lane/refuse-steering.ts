import { GatewayError } from '../../canonical/failure.ts'
import type { Target } from '../../catalog/catalog.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { foldMemberName } from '../../kit/json/scan-object.ts'
import type { Provider } from '../../providers/provider.ts'
import { fieldValue } from '../../wire/verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'
import type { Exchange } from '../exchange/exchange.ts'

/**
 * Refuses fields by which a caller could lead an upstream past the permission or the price that was checked. Such
 * fields reach a channel of the caller's own format in each of its lanes, since translation puts a format's own fields
 * back. A channel of another format never gets them. The names are looked up in the scan, and only a field with inner
 * names is parsed. Throws `field_not_allowed`.
 */
export function refuseSteering(
  { format, scanned }: Pick<Exchange, 'format' | 'scanned'>,
  { channel }: Target,
  provider: Provider,
): void {
  if (format.family !== channel.format) return
  for (const name of provider.steeringFields) {
    if (holdsField(scanned, name) && !channel.allowFields.has(name)) {
      throw new GatewayError('field_not_allowed', {
        param: name,
        message: `The field "${name}" would steer the request past this gateway, so the channel does not allow it. Leave it out.`,
      })
    }
  }
}

/** Whether the request has a field. A name with dots is a field inside others, in either spelling of proto JSON. */
function holdsField(scanned: ScannedRequest, name: string): boolean {
  if (!name.includes('.')) return scanned.fields.has(name)
  const [outer = '', ...inner] = name.split('.').map(withoutUnderscores)
  for (const [key, field] of scanned.fields) {
    if (withoutUnderscores(key) !== outer) continue
    if (holdsInner(fieldValue(scanned.body, field), inner)) return true
  }
  return false
}

function holdsInner(value: unknown, [name, ...inner]: readonly string[]): boolean {
  if (name === undefined) return true
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(
    ([key, each]) => withoutUnderscores(foldMemberName(key)) === name && holdsInner(each, inner),
  )
}

function withoutUnderscores(name: string): string {
  return name.replaceAll('_', '')
}
