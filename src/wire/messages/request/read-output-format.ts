import type { OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import {
  fieldPath,
  invalidField,
  optionalObject,
  requiredObject,
  requiredString,
} from '../values/read-field.ts'
import { outputFormatFields } from './request-fields.ts'

export interface ReadOutputFormat {
  readonly outputFormat?: OutputFormat
  /** What the format says beyond the canonical form. */
  readonly leftovers?: JsonObject | undefined
}

/** The answer's shape, from `output_config.format` or from `output_format`, its older name. */
export function readOutputFormat(body: JsonObject, outputConfig: JsonObject): ReadOutputFormat {
  const older = optionalObject({ object: body, path: '', name: 'output_format' })
  const newer = optionalObject({ object: outputConfig, path: 'output_config', name: 'format' })
  if (older !== undefined && newer !== undefined) {
    throw invalidField('output_format', 'left out where "output_config.format" is given')
  }
  if (newer !== undefined) return readFormat(newer, 'output_config.format')
  return older === undefined ? {} : readFormat(older, 'output_format')
}

function readFormat(object: JsonObject, path: string): ReadOutputFormat {
  const type = requiredString({ object, path, name: 'type' })
  if (type !== 'json_schema') throw invalidField(fieldPath(path, 'type'), '"json_schema"')
  const schema = requiredObject({ object, path, name: 'schema' })
  const leftovers = leftoversOf(object, outputFormatFields)
  return { outputFormat: { type: 'json-schema', schema }, leftovers }
}
