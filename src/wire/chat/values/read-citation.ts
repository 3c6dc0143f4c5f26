import type { Citation } from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { annotationFields, urlCitationFields, vendorUrlCitationFields } from '../reply/reply-fields.ts'
import { toExtras } from './extras.ts'

const annotation = knownFields(annotationFields)
const urlCitation = knownFields(urlCitationFields, vendorUrlCitationFields)

/** Returns the sources that an answer cites, and annotations of other kinds unchanged. */
export function readCitations(value: JsonValue | undefined): {
  readonly citations: readonly Citation[]
  readonly unread: readonly JsonValue[]
} {
  const citations: Citation[] = []
  const unread: JsonValue[] = []
  for (const item of isJsonArray(value) ? value : []) {
    const citation = isJsonObject(item) ? readUrlCitation(item) : undefined
    if (citation === undefined) unread.push(item)
    else citations.push(citation)
  }
  return { citations, unread }
}

function readUrlCitation(item: JsonObject): Citation | undefined {
  const source = item['url_citation']
  if (item['type'] !== 'url_citation' || !isJsonObject(source)) return undefined
  const { url, title, start_index: start, end_index: end, content } = source
  return omitUndefined({
    url: typeof url === 'string' ? url : undefined,
    title: typeof title === 'string' ? title : undefined,
    citedText: typeof content === 'string' ? content : undefined,
    startIndex: typeof start === 'number' ? start : undefined,
    endIndex: typeof end === 'number' ? end : undefined,
    ...toExtras(leftoversOf(item, annotation), { url_citation: leftoversOf(source, urlCitation) }),
  })
}
