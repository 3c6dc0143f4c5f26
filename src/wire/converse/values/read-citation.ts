import type { Citation } from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** Reads a citation. Position fields that only this format has are kept as extras. */
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

/** Reads the quoted text. A stream has one part, and a whole answer has a list of parts. */
function readSource(value: JsonValue | undefined): string {
  const parts = isJsonArray(value) ? value : [value]
  return parts
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}
