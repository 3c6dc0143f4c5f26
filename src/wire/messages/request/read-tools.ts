import type { Tool } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import {
  fieldPath,
  optionalArray,
  optionalBoolean,
  optionalString,
  readObject,
  requiredObject,
  requiredString,
} from '../values/read-field.ts'
import { toolFields } from './request-fields.ts'

export function readTools(body: JsonObject): readonly Tool[] | undefined {
  return optionalArray({ object: body, path: '', name: 'tools' })?.map((tool, index) =>
    readTool(tool, fieldPath('tools', index)),
  )
}

/** A tool of another type than `custom`, which is also the type unsaid, is the provider's own and kept whole. */
function readTool(value: JsonValue, path: string): Tool {
  const object = readObject(value, path)
  const type = optionalString({ object, path, name: 'type' })
  if (type !== undefined && type !== 'custom') return { type: 'hosted', format: 'messages', value: object }
  const description = optionalString({ object, path, name: 'description' })
  const strict = optionalBoolean({ object, path, name: 'strict' })
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'function',
    name: requiredString({ object, path, name: 'name' }),
    ...(description === undefined ? {} : { description }),
    parameters: requiredObject({ object, path, name: 'input_schema' }),
    ...(strict === undefined ? {} : { strict }),
    ...mark,
    ...readExtras(object, toolFields, { cache_control: leftovers }),
  }
}
