import type { JsonValue } from '../../../kit/json/json.ts'

const documentKinds: ReadonlySet<JsonValue | undefined> = new Set([
  'char_location',
  'page_location',
  'content_block_location',
])

/** The field in which a kind of citation has its title. */
export function citationTitleField(kind: JsonValue | undefined): 'document_title' | 'title' {
  return documentKinds.has(kind) ? 'document_title' : 'title'
}
