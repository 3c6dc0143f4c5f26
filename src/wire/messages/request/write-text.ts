import type { TextBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'
import { writeCitation } from '../values/write-citation.ts'
import { writeEach } from './write-each.ts'

/** Writes a text of a request. Undefined for a blank text, which the provider refuses (seen 2026-11-20). */
export function writeTextBlock(block: TextBlock, losses: LossList): JsonObject | undefined {
  if (block.text.trim() === '') {
    if (block.text !== '') losses.lose('foreign-field', 'dropped', 'messages.content')
    return undefined
  }
  const citations = writeEach(block.citations ?? [], (citation) => writeCitation(citation, losses))
  const written = {
    type: 'text',
    text: block.text,
    ...(citations.length === 0 ? {} : { citations }),
    ...writeCacheControl(block.cache),
  }
  return withExtras(written, block.extras, { losses, path: 'messages.content' })
}

/** Returns just the text if the list has a single plain text block. Otherwise returns the blocks. */
export function textOrBlocks(blocks: readonly JsonObject[]): string | readonly JsonObject[] {
  const [first, ...others] = blocks
  if (first === undefined || others.length > 0 || Object.keys(first).length > 2) return blocks
  return first['type'] === 'text' && typeof first['text'] === 'string' ? first['text'] : blocks
}
