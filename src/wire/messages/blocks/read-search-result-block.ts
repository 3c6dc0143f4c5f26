import type { SearchResultBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { searchResultFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { fieldPath, invalidField, readObject, requiredArray, requiredString } from '../values/read-field.ts'
import { readTextBlock } from './read-text-block.ts'

export function readSearchResultBlock(object: JsonObject, path: string): SearchResultBlock {
  const inside = fieldPath(path, 'content')
  const content = requiredArray({ object, path, name: 'content' }).map((item, index) => {
    const itemPath = fieldPath(inside, index)
    const block = readObject(item, itemPath)
    if (block['type'] !== 'text') throw invalidField(fieldPath(itemPath, 'type'), '"text"')
    return readTextBlock(block, itemPath)
  })
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'search-result',
    source: requiredString({ object, path, name: 'source' }),
    title: requiredString({ object, path, name: 'title' }),
    content,
    ...mark,
    ...readExtras(object, searchResultFields, { cache_control: leftovers }),
  }
}
