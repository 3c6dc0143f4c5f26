import type { Citation } from '../../../canonical/content.ts'
import { type JsonObject, type JsonValue, objectsIn } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { urlCitationFields } from '../request/request-fields.ts'
import { toExtras } from './extras.ts'

/** Returns the sources that a text cites. Sources without a URL stay unchanged. */
export function readCitations(value: JsonValue | undefined): readonly Citation[] {
  return objectsIn(value).map(readCitation)
}

export function readCitation(annotation: JsonObject): Citation {
  const { type, url, title, start_index: start, end_index: end } = annotation
  if (type !== 'url_citation' || typeof url !== 'string') return { ...toExtras(annotation) }
  return omitUndefined({
    url,
    title: typeof title === 'string' ? title : undefined,
    startIndex: typeof start === 'number' ? start : undefined,
    endIndex: typeof end === 'number' ? end : undefined,
    ...toExtras(leftoversOf(annotation, urlCitation)),
  })
}

export const urlCitation = knownFields(urlCitationFields)
