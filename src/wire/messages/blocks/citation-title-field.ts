import type { JsonValue } from '../../../kit/json/json.ts'

const documentKinds: ReadonlySet<JsonValue | undefined> = new Set([
  'char_location',
  'page_location',
  'content_block_location',
])

/** The name of the field that holds the title in a citation of this kind. */
export function citationTitleField(kind: JsonValue | undefined): 'document_title' | 'title' {
  return documentKinds.has(kind) ? 'document_title' : 'title'
}
