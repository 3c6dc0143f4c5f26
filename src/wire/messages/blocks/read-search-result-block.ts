import type { SearchResultBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { searchResultFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { fieldPath, invalidField, readObject, requiredArray, requiredString } from '../values/read-field.ts'
import { readCacheControl } from './read-cache-control.ts'
import { readTextBlock } from './read-text-block.ts'

export function readSearchResultBlock(object: JsonObject, place: string): SearchResultBlock {
  const inside = fieldPath(place, 'content')
  const content = requiredArray({ object, place, name: 'content' }).map((item, index) => {
    const itemPlace = fieldPath(inside, index)
    const block = readObject(item, itemPlace)
    if (block['type'] !== 'text') throw invalidField(fieldPath(itemPlace, 'type'), '"text"')
    return readTextBlock(block, itemPlace)
  })
  const { mark, leftovers } = readCacheControl(object, place)
  return {
    type: 'search-result',
    source: requiredString({ object, place, name: 'source' }),
    title: requiredString({ object, place, name: 'title' }),
    content,
    ...mark,
    ...readExtras(object, searchResultFields, { cache_control: leftovers }),
  }
}
