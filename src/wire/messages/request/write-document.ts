import type { DocumentBlock, SearchResultBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { textOfFile } from '../../fields/text-of-file.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'
import { writeEach } from './write-each.ts'
import { writeMediaSource } from './write-media.ts'
import { writeTextBlock } from './write-text.ts'

export function writeDocument(block: DocumentBlock, losses: LossList): JsonObject {
  const original = block.extras?.format === 'messages' ? block.extras.fields['source'] : undefined
  const isWhole = isJsonObject(original) && typeof original['type'] === 'string'
  const written = {
    type: 'document',
    // An opaque source replaces the canonical source, which was read from it.
    ...(isWhole ? {} : { source: writeSource(block.source, losses) }),
    ...(block.title === undefined ? {} : { title: block.title }),
    ...(block.context === undefined ? {} : { context: block.context }),
    ...writeCacheControl(block.cache),
  }
  return withExtras(written, block.extras, { losses, path: 'messages.content' })
}

/**
 * Writes the source of a document. The provider accepts bytes only of PDF files (docs/build-with-claude/pdf-support,
 * seen 2026-11-20). A text file is sent as text, JSON and XML too.
 */
function writeSource(source: DocumentBlock['source'], losses: LossList): JsonObject {
  if (source.type === 'text') return writeText(source.text)
  const text = textOfFile(source)
  const isText = source.type === 'base64' && (text !== undefined || source.mediaType.startsWith('text/'))
  if (!isText) return writeMediaSource(source)
  losses.lose('document', 'approximated')
  return writeText(text ?? Buffer.from(source.data, 'base64').toString('utf8'))
}

function writeText(text: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data: text }
}

export function writeSearchResult(block: SearchResultBlock, losses: LossList): JsonObject {
  const written = {
    type: 'search_result',
    source: block.source,
    title: block.title,
    content: writeEach(block.content, (text) => writeTextBlock(text, losses)),
    ...writeCacheControl(block.cache),
  }
  return withExtras(written, block.extras, { losses, path: 'messages.content' })
}
