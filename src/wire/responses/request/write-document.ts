import type { DocumentBlock, SearchResultBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseExtras } from '../../fields/extras.ts'
import { CONTENT_PATH, loseMark } from '../../fields/lose.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { nameFile } from '../../fields/name-file.ts'
import { withExtras } from '../values/extras.ts'

/** A file needs a name next to its bytes, so a document without a title gets one. Plain text documents become text. */
export function writeDocument(block: DocumentBlock, losses: LossList): JsonObject {
  const { source, title, context, extras } = block
  if (source.type === 'text') {
    losses.lose('document', 'approximated')
    const words = [title, context, source.text].filter((part) => part !== undefined)
    return withExtras({ type: 'input_text', text: words.join('\n\n') }, extras, {
      losses,
      path: CONTENT_PATH,
    })
  }
  if (context !== undefined) losses.lose('document', 'approximated')
  const isBytes = source.type === 'base64'
  const file = omitUndefined({
    type: 'input_file',
    file_id: source.type === 'file' ? source.fileId : undefined,
    file_url: source.type === 'url' ? source.url : undefined,
    file_data: isBytes ? writeMediaUrl(source) : undefined,
    filename: isBytes ? nameFile(title, source, losses) : title,
  })
  return withExtras(file, extras, { losses, path: CONTENT_PATH })
}

export function writeSearchResult(block: SearchResultBlock, losses: LossList): JsonObject {
  losses.lose('search-result', 'approximated')
  for (const inner of block.content) {
    loseMark(inner.cache, { losses })
    loseExtras(inner.extras, { losses, path: CONTENT_PATH })
  }
  const texts = block.content.map((inner) => inner.text)
  const text = [`${block.title}\n${block.source}`, ...texts].join('\n\n')
  return withExtras({ type: 'input_text', text }, block.extras, { losses, path: CONTENT_PATH })
}
