import type { Tool } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import {
  asObject,
  readArray,
  readBoolean,
  readString,
  requireObject,
  requireString,
} from '../values/read-field.ts'
import { toolFields } from './request-fields.ts'

export function readTools(body: JsonObject): readonly Tool[] | undefined {
  return readArray(body, 'tools', '')?.map((tool, index) => readTool(tool, joinPath('tools', index)))
}

/** A tool of another type than `custom`, which is also the type unsaid, is the provider's own and kept whole. */
function readTool(value: JsonValue, path: string): Tool {
  const object = asObject(value, path)
  const type = readString(object, 'type', path)
  if (type !== undefined && type !== 'custom') return { type: 'hosted', format: 'messages', value: object }
  const description = readString(object, 'description', path)
  const strict = readBoolean(object, 'strict', path)
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'function',
    name: requireString(object, 'name', path),
    ...(description === undefined ? {} : { description }),
    parameters: requireObject(object, 'input_schema', path),
    ...(strict === undefined ? {} : { strict }),
    ...mark,
    ...readExtras(object, toolFields, { cache_control: leftovers }),
  }
}
