import type { SystemBlock, TextBlock, ToolResultContent, UserBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { withExtras } from '../values/extras.ts'
import type { WriteContext } from './write-context.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeAudio, writeImage, writeVideo } from './write-media.ts'

/** Writes a block of the user, the system or a tool. Undefined if the format cannot carry it. */
export function writeContent(
  block: UserBlock | SystemBlock | ToolResultContent,
  context: WriteContext,
): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeText(block, context)
    case 'image':
      return writeImage(block, context)
    case 'document':
      return writeDocument(block, context)
    case 'audio':
      return writeAudio(block, context)
    case 'video':
      return writeVideo(block, context)
    case 'search-result':
      return writeSearchResult(block, context)
    case 'opaque':
      return writeOpaque(block, 'converse', context.losses)
  }
}

/** Writes a text. Undefined for a blank text, which the provider refuses. */
export function writeText(block: TextBlock, context: WriteContext): JsonObject | undefined {
  const { losses } = context
  const guarded = block.extras?.format === 'converse' ? block.extras.fields['guardContent'] : undefined
  if (guarded !== undefined) return { guardContent: guarded }
  if (block.text.trim() === '') {
    if (block.text !== '') losses.lose('foreign-field', 'dropped', 'messages.content')
    return undefined
  }
  return withExtras({ text: block.text }, block.extras, { losses, path: 'messages.content' })
}

export function listOf(block: JsonObject | undefined): readonly JsonObject[] {
  return block === undefined ? [] : [block]
}
