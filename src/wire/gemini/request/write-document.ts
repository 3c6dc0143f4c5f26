import type { DocumentBlock, SearchResultBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { withExtras } from '../values/extras.ts'
import { PATH, writeSource } from './write-media.ts'

export function writeSearchResult(block: SearchResultBlock, losses: LossList): JsonObject {
  losses.lose('search-result', 'approximated')
  for (const inner of [block, ...block.content]) {
    if (inner.cache !== undefined) losses.lose('cache-mark', 'dropped')
    if (inner !== block) loseExtras(inner.extras, { losses, path: PATH })
  }
  const texts = block.content.map((inner) => inner.text)
  const text = [`${block.title}\n${block.source}`, ...texts].join('\n\n')
  return withExtras({ text }, block.extras, { losses, path: PATH })
}

/** Writes a document. Plain text becomes a text part. The format cannot carry title and context of other documents. */
export function writeDocument(block: DocumentBlock, losses: LossList): JsonObject | undefined {
  const { source, title, context, cache, extras } = block
  if (cache !== undefined) losses.lose('cache-mark', 'dropped')
  if (source.type === 'text') {
    losses.lose('document', 'approximated')
    const words = [title, context, source.text].filter((part) => part !== undefined)
    return withExtras({ text: words.join('\n\n') }, extras, { losses, path: PATH })
  }
  if (title !== undefined || context !== undefined) losses.lose('document', 'approximated')
  const part = writeSource(source, { feature: 'document', fallback: 'application/pdf', losses })
  return part === undefined ? undefined : withExtras(part, extras, { losses, path: PATH })
}
