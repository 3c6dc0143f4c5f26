import type { OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readBoolean, readObject, readString, requireObject, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { jsonSchemaFields, plainFormatFields, schemaFormatFields } from './request-fields.ts'

const plainFormat = knownFields(plainFormatFields)
const schemaFormat = knownFields(schemaFormatFields)
const jsonSchema = knownFields(jsonSchemaFields)

export interface ReadFormat {
  readonly format?: OutputFormat
  /** Fields beyond those. */
  readonly unread?: JsonObject | undefined
}

export function readResponseFormat(body: JsonObject): ReadFormat {
  const format = readObject(body, 'response_format', '')
  if (format === undefined) return {}
  const type = requireString(format, 'type', 'response_format')
  if (type === 'text') return { format: { type: 'text' }, unread: leftoversOf(format, plainFormat) }
  if (type === 'json_object') return { format: { type: 'json' }, unread: leftoversOf(format, plainFormat) }
  if (type !== 'json_schema') return { unread: format }
  const path = 'response_format.json_schema'
  const holder = requireObject(format, 'json_schema', 'response_format')
  const inner = leftoversOf(holder, jsonSchema)
  return {
    format: omitUndefined({
      type: 'json-schema' as const,
      schema: readObject(holder, 'schema', path) ?? {},
      name: requireString(holder, 'name', path),
      description: readString(holder, 'description', path),
      strict: readBoolean(holder, 'strict', path),
    }),
    unread: toExtras(leftoversOf(format, schemaFormat), { json_schema: inner }).extras?.fields,
  }
}
