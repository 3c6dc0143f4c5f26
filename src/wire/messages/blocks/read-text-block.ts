import type { Citation, TextBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { textFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { readCitation } from '../values/read-citation.ts'
import { fieldPath, optionalArray, readObject, requiredString } from '../values/read-field.ts'

export function readTextBlock(object: JsonObject, path: string): TextBlock {
  const text = requiredString({ object, path, name: 'text' })
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
  const list = optionalArray({ object, path, name: 'citations' }) ?? []
  const inside = fieldPath(path, 'citations')
  return list.map((citation, index) => readCitation(readObject(citation, fieldPath(inside, index))))
}
