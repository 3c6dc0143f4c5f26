import type { Citation } from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** A citation; fields about its position that only this format has travel along. */
export function readCitation(citation: JsonObject): Citation {
  const { title, sourceContent, location, ...others } = citation
  const web = isJsonObject(location) ? location['web'] : undefined
  const url = isJsonObject(web) ? web['url'] : undefined
  const citedText = readSource(sourceContent)
  const fields = { ...others, ...(location === undefined ? {} : { location }) }
  return {
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(citedText === '' ? {} : { citedText }),
    ...(Object.keys(fields).length === 0 ? {} : { extras: { format: 'converse', fields } }),
  }
}

/** Streams have one part, whole answers a list of them. */
function readSource(value: JsonValue | undefined): string {
  const parts = isJsonArray(value) ? value : [value]
  return parts
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}
