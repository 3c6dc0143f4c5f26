import type { Citation, TextBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { textFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { readCitation } from '../values/read-citation.ts'
import { asObject, readArray, requireString } from '../values/read-field.ts'

export function readTextBlock(object: JsonObject, path: string): TextBlock {
  const text = requireString(object, 'text', path)
  const citations = readCitations(object, path)
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'text',
    text,
    ...(citations.length === 0 ? {} : { citations }),
    ...mark,
    ...readExtras(object, textFields, { cache_control: leftovers }),
  }
}

function readCitations(object: JsonObject, path: string): readonly Citation[] {
  const list = readArray(object, 'citations', path) ?? []
  const inside = joinPath(path, 'citations')
  return list.map((citation, index) => readCitation(asObject(citation, joinPath(inside, index))))
}
