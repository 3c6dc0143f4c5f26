import type { OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { joinPath } from '../../fields/read-field.ts'
import { invalidField, readObject, requireObject, requireString } from '../values/field-readers.ts'
import { outputFormatFields } from './request-fields.ts'

export interface ReadOutputFormat {
  readonly outputFormat?: OutputFormat
  /** Fields of the format beyond the canonical form. */
  readonly leftovers?: JsonObject | undefined
}

/** The answer's shape, from `output_config.format` or from `output_format`, its older name. */
export function readOutputFormat(body: JsonObject, outputConfig: JsonObject): ReadOutputFormat {
  const older = readObject(body, 'output_format', '')
  const newer = readObject(outputConfig, 'format', 'output_config')
  if (older !== undefined && newer !== undefined) {
    throw invalidField('output_format', 'left out where "output_config.format" is given')
  }
  if (newer !== undefined) return readFormat(newer, 'output_config.format')
  return older === undefined ? {} : readFormat(older, 'output_format')
}

function readFormat(object: JsonObject, path: string): ReadOutputFormat {
  const type = requireString(object, 'type', path)
  if (type !== 'json_schema') throw invalidField(joinPath(path, 'type'), '"json_schema"')
  const schema = requireObject(object, 'schema', path)
  const leftovers = leftoversOf(object, outputFormatFields)
  return { outputFormat: { type: 'json-schema', schema }, leftovers }
}
