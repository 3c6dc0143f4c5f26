import type {
  Citation,
  DocumentBlock,
  ImageBlock,
  OpaqueBlock,
  SearchResultBlock,
  TextBlock,
} from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { joinPath } from '../../fields/read-field.ts'
import { imageFields, searchResultFields, sourceFields, textFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import {
  asObject,
  invalidField,
  readArray,
  requireArray,
  requireObject,
  requireString,
} from '../values/field-readers.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { readCitation } from '../values/read-citation.ts'
import { readDocumentBlock } from './read-document-block.ts'
import { readMediaSource } from './read-media-source.ts'

export type PlainBlock = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | OpaqueBlock

/** Reads a block that is valid both in a message and in a tool's result. Blocks of an unknown kind stay unchanged. */
export function readPlainBlock(object: JsonObject, path: string): PlainBlock {
  switch (object['type']) {
    case 'text':
      return readTextBlock(object, path)
    case 'image':
      return readImageBlock(object, path)
    case 'document':
      return readDocumentBlock(object, path) ?? keepBlock(object)
    case 'search_result':
      return readSearchResultBlock(object, path)
    default:
      return keepBlock(object)
  }
}

export function keepBlock(value: JsonObject): OpaqueBlock {
  return { type: 'opaque', format: 'messages', value }
}

function readImageBlock(object: JsonObject, path: string): ImageBlock {
  const source = requireObject(object, 'source', path)
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'image',
    source: readMediaSource(source, joinPath(path, 'source')),
    ...mark,
    ...readExtras(object, imageFields, {
      source: leftoversOf(source, sourceFields),
      cache_control: leftovers,
    }),
  }
}

function readSearchResultBlock(object: JsonObject, path: string): SearchResultBlock {
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

function readTextBlock(object: JsonObject, path: string): TextBlock {
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
