import type { Extras, FormatId } from '../../../canonical/format.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { Dialect } from '../../dialect.ts'

const openaiFormats: readonly string[] = ['chat', 'responses'] satisfies readonly FormatId[]

/**
 * Splits the extras of a request for `format`: the fields of OpenAI's other format that the provider has in both become
 * fields of `format`. The rest stays with its own format, so that its loss is declared.
 */
export function adoptSharedFields(
  extras: Extras | undefined,
  format: 'chat' | 'responses',
  { sharedFields }: Pick<Dialect, 'sharedFields'>,
): readonly Extras[] {
  if (extras === undefined) return []
  const isOther = extras.format !== format && openaiFormats.includes(extras.format)
  if (!isOther || sharedFields.length === 0) return [extras]
  const isShared = ([name]: readonly [string, unknown]): boolean => sharedFields.includes(name)
  const fields = Object.entries(extras.fields)
  const shared: JsonObject = Object.fromEntries(fields.filter(isShared))
  const rest: JsonObject = Object.fromEntries(fields.filter((field) => !isShared(field)))
  return [
    { format, fields: shared },
    { format: extras.format, fields: rest },
  ]
}
