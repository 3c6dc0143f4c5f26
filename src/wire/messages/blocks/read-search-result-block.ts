import type { SearchResultBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { searchResultFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { asObject, invalidField, requireArray, requireString } from '../values/read-field.ts'
import { readTextBlock } from './read-text-block.ts'

export function readSearchResultBlock(object: JsonObject, path: string): SearchResultBlock {
  const inside = joinPath(path, 'content')
  const content = requireArray(object, 'content', path).map((item, index) => {
    const itemPath = joinPath(inside, index)
    const block = asObject(item, itemPath)
    if (block['type'] !== 'text') throw invalidField(joinPath(itemPath, 'type'), '"text"')
    return readTextBlock(block, itemPath)
  })
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'search-result',
    source: requireString(object, 'source', path),
    title: requireString(object, 'title', path),
    content,
    ...mark,
    ...readExtras(object, searchResultFields, { cache_control: leftovers }),
  }
}
