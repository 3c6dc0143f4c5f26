import type { DocumentBlock, SearchResultBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { textOfFile } from '../../fields/text-of-file.ts'
import { plainTextOf, type WriteContext } from './write-context.ts'

/** Writes a user's document as text. The format accepts no files but those of text. */
export function writeDocument(
  { source, title, context: background }: DocumentBlock,
  context: WriteContext,
): JsonObject | undefined {
  const text = textOfFile(source)
  if (text === undefined) {
    context.losses.lose('document', 'dropped')
    return undefined
  }
  context.losses.lose('document', 'approximated')
  const words = [title, background, text].filter((part) => part !== undefined)
  return { type: 'text', text: words.join('\n\n') }
}

export function writeSearchResult(
  { title, source, content }: SearchResultBlock,
  context: WriteContext,
): JsonObject {
  context.losses.lose('search-result', 'approximated')
  const texts = content.map((inner) => plainTextOf(inner, context))
  return { type: 'text', text: [`${title}\n${source}`, ...texts].join('\n\n') }
}
