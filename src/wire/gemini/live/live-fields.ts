import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import { refuseJson } from '../../answer-bounds.ts'

/** Undefined where a text is no message. Never throws. */
export function readLiveMessage(text: string): JsonObject | undefined {
  const fields = refuseJson(text) === undefined ? tryParseJson(text) : undefined
  return isJsonObject(fields) ? fields : undefined
}

/** A field in either of the spellings that JSON of protocol buffers has. */
export function fieldOf(fields: JsonObject, name: string): JsonValue | undefined {
  return fields[name] ?? fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The same object with its own fields in the one spelling. */
export function withCamelNames(fields: JsonObject): JsonObject {
  if (!Object.keys(fields).some((name) => name.includes('_'))) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]))
}

/**
 * Throws `GatewayError` where a value refers to a file of the provider's, which another key may own. Its depth is
 * bounded where it is parsed.
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
