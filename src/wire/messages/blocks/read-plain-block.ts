import type {
  DocumentBlock,
  ImageBlock,
  OpaqueBlock,
  SearchResultBlock,
  TextBlock,
} from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { readDocumentBlock } from './read-document-block.ts'
import { readImageBlock } from './read-image-block.ts'
import { readSearchResultBlock } from './read-search-result-block.ts'
import { readTextBlock } from './read-text-block.ts'

export type PlainBlock = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | OpaqueBlock

/** A block that may stand both in a message and in a tool's result. Kinds unknown here are kept whole. */
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
