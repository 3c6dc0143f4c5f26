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
    const sent = findField(scanned, name)
    if (sent !== undefined && !channel.allowFields.has(name)) {
      throw new GatewayError('field_not_allowed', {
        param: sent,
        message: `The field "${sent}" would steer the request past this gateway, so the channel does not allow it. Leave it out.`,
      })
    }
  }
}

/**
 * The field as the caller spells it. Undefined where the request does not have it. A name with dots is a field inside
 * others, in either spelling of proto JSON.
 */
function findField(scanned: ScannedRequest, name: string): string | undefined {
  if (!name.includes('.')) return scanned.fields.get(name)?.name
  const [outer = '', ...inner] = name.split('.').map(withoutUnderscores)
  for (const [key, field] of scanned.fields) {
    if (withoutUnderscores(key) !== outer) continue
    const found = findInner(fieldValue(scanned.body, field), inner)
    if (found !== undefined) return [field.name, ...found].join('.')
  }
  return undefined
}

/** The names that lead to an inner field, as the caller spells them. */
function findInner(value: unknown, [name, ...inner]: readonly string[]): readonly string[] | undefined {
  if (name === undefined) return []
  if (!isJsonObject(value)) return undefined
  for (const [key, each] of Object.entries(value)) {
    if (withoutUnderscores(foldMemberName(key)) !== name) continue
    const found = findInner(each, inner)
    if (found !== undefined) return [key, ...found]
  }
  return undefined
}

function withoutUnderscores(name: string): string {
  return name.replaceAll('_', '')
}
