import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import { refuseJson } from '../../answer-bounds.ts'

/** Parses a message of a Live session. Undefined if the text is not a JSON object. Never throws. */
export function readLiveMessage(text: string): JsonObject | undefined {
  const fields = refuseJson(text) === undefined ? tryParseJson(text) : undefined
  return isJsonObject(fields) ? fields : undefined
}

/** The value of a field in either spelling of proto JSON: `camelCase` or `snake_case`. `name` is in `camelCase`. */
export function fieldOf(fields: JsonObject, name: string): JsonValue | undefined {
  return fields[name] ?? fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The same object with its top-level field names in `camelCase`. */
export function withCamelNames(fields: JsonObject): JsonObject {
  if (!Object.keys(fields).some((name) => name.includes('_'))) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]))
}

/**
 * Throws `GatewayError` if a value refers to a file at the provider, because another key may own that file. The parser
 * limits the depth of the value.
 */
export function refuseFiles(value: JsonValue | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) refuseFiles(item)
  } else if (isJsonObject(value)) {
    if (value['fileData'] !== undefined || value['file_data'] !== undefined)
      throw new GatewayError('invalid_field', {
        param: 'fileData',
        message: 'Files cannot be named in a Live session here. Send their bytes as "inlineData".',
      })
    for (const item of Object.values(value)) refuseFiles(item)
  }
}
