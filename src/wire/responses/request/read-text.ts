import type { OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readBoolean, readObject, readString, requireObject, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { schemaFormatFields, textFields } from './request-fields.ts'

const textField = knownFields(textFields)
const schemaFormat = knownFields(schemaFormatFields)

export interface ReadText {
  readonly format?: OutputFormat | undefined
  readonly verbosity?: string | undefined
  /** The fields that neither of the other two members contains. */
  readonly unread?: JsonObject | undefined
}

/** Reads the field `text`, which sets the form of the answer. */
export function readTextSettings(body: JsonObject): ReadText {
  const holder = readObject(body, 'text', '')
  if (holder === undefined) return {}
  const { format, unread } = readFormat(holder)
  return {
    format,
    verbosity: readString(holder, 'verbosity', 'text'),
    unread: toExtras(leftoversOf(holder, textField), { format: unread }).extras?.fields,
  }
}

function readFormat(holder: JsonObject): Pick<ReadText, 'format' | 'unread'> {
  const format = readObject(holder, 'format', 'text')
  if (format === undefined) return {}
  const path = 'text.format'
  const type = requireString(format, 'type', path)
  if (type === 'text') return { format: { type: 'text' }, unread: leftoversOf(format, schemaFormat) }
  if (type === 'json_object') return { format: { type: 'json' }, unread: leftoversOf(format, schemaFormat) }
  if (type !== 'json_schema') return { unread: format }
  return {
    format: omitUndefined({
      type: 'json-schema' as const,
      schema: requireObject(format, 'schema', path),
      name: readString(format, 'name', path),
      description: readString(format, 'description', path),
      strict: readBoolean(format, 'strict', path),
    }),
    unread: leftoversOf(format, schemaFormat),
  }
}
