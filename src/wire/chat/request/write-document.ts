import type { DocumentBlock, SearchResultBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseExtras } from '../../fields/extras.ts'
import { CONTENT_PATH, loseMark } from '../../fields/lose.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { nameFile } from '../../fields/name-file.ts'
import { textOfFile } from '../../fields/text-of-file.ts'
import { withExtras } from '../values/extras.ts'
import { cacheMarkField, type WriteContext } from './write-context.ts'

/**
 * A file needs a name next to its bytes, so a document without a title gets one. Plain text and text files become text,
 * since the format accepts only PDF files (https://developers.openai.com/api/docs/guides/file-inputs, seen 2026-11-29).
 * A document at a URL can be sent only where the dialect has a form for URLs.
 */
export function writeDocument(block: DocumentBlock, context: WriteContext): JsonObject | undefined {
  const { source, title, context: background } = block
  const { documents } = context.dialect
  const text = documents === 'document_url' && source.type !== 'text' ? undefined : textOfFile(source)
  if (source.type === 'text' || text !== undefined) return writeTextDocument(block, text ?? '', context)
  if (source.type === 'url' && documents === 'file') {
    context.losses.lose('document', 'dropped')
    return undefined
  }
  if (background !== undefined) context.losses.lose('document', 'approximated')
  if (documents === 'document_url' && source.type !== 'file') return writeDocumentUrl(block, context)
  const file =
    source.type === 'file'
      ? omitUndefined({ file_id: source.fileId, filename: title })
      : { filename: nameFile(title, source, context.losses), file_data: writeMediaUrl(source) }
  const part = { type: 'file', file, ...cacheMarkField(block.cache, context) }
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}

/** Writes Mistral's own part, which accepts both bytes and URLs. */
function writeDocumentUrl(block: DocumentBlock, context: WriteContext): JsonObject {
  const { source, title } = block
  const url = source.type === 'text' ? undefined : writeMediaUrl(source)
  const part = omitUndefined({
    type: 'document_url',
    document_url: url,
    document_name: title,
    ...cacheMarkField(block.cache, context),
  })
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}

function writeTextDocument(block: DocumentBlock, text: string, context: WriteContext): JsonObject {
  context.losses.lose('document', 'approximated')
  const words = [block.title, block.context, text].filter((part) => part !== undefined).join('\n\n')
  const part = { type: 'text', text: words, ...cacheMarkField(block.cache, context) }
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}

export function writeSearchResult(block: SearchResultBlock, context: WriteContext): JsonObject {
  context.losses.lose('search-result', 'approximated')
  for (const inner of block.content) {
    loseMark(inner.cache, context)
    loseExtras(inner.extras, { losses: context.losses, path: CONTENT_PATH })
  }
  const texts = block.content.map((inner) => inner.text)
  const part = {
    type: 'text',
    text: [`${block.title}\n${block.source}`, ...texts].join('\n\n'),
    ...cacheMarkField(block.cache, context),
  }
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}
