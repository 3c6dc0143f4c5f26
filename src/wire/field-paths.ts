import type { Extras } from '../canonical/format.ts'
import { isJsonObject, type JsonObject } from '../kit/json.ts'

/** Fields of a format under which the fields of one part are kept; what is unknown of those is named by itself. */
const holders: Readonly<Partial<Record<Extras['format'], ReadonlySet<string>>>> = {
  chat: new Set([
    'function',
    'custom',
    'image_url',
    'input_audio',
    'video_url',
    'document_url',
    'file',
    'json_schema',
    'response_format',
    'stream_options',
  ]),
  gemini: new Set([
    'fileData',
    'functionCall',
    'functionCallingConfig',
    'functionResponse',
    'generationConfig',
    'inlineData',
    'thinkingConfig',
    'toolConfig',
  ]),
  // What the item said that held the block.
  responses: new Set(['message']),
}

const none: ReadonlySet<string> = new Set()

/** The names of fields that only one format knows, those inside a part with the part's name before them. */
export function fieldPaths({ format, fields }: Extras): readonly string[] {
  return pathsOf(fields, holders[format] ?? none)
}

function pathsOf(fields: JsonObject, inner: ReadonlySet<string>): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    inner.has(name) && isJsonObject(value) ? pathsOf(value, inner).map((path) => `${name}.${path}`) : [name],
  )
}
