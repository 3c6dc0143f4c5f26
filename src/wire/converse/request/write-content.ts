import type {
  OpaqueBlock,
  SystemBlock,
  TextBlock,
  ToolResultContent,
  UserBlock,
} from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import type { WriteContext } from './write-context.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeAudio, writeImage, writeVideo } from './write-media.ts'

/** A block of the user, the system or a tool; undefined where the format cannot carry it. */
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
      return writeOpaque(block, context)
  }
}

/** Undefined where it is blank, which the provider refuses. */
export function writeText(block: TextBlock, context: WriteContext): JsonObject | undefined {
  const { losses } = context
  if (block.text.trim() === '') {
    if (block.text !== '')
      losses.add({ feature: 'foreign-field', kind: 'dropped', field: 'messages.content' })
    return undefined
  }
  return withExtras({ text: block.text }, block.extras, { losses, path: 'messages.content' })
}

export function writeOpaque(block: OpaqueBlock, { losses }: WriteContext): JsonObject | undefined {
  if (block.format === 'converse') return block.value
  const { type } = block.value
  const name = block.name ?? (typeof type === 'string' ? type : undefined)
  losses.add({ feature: 'foreign-block', kind: 'dropped', ...(name === undefined ? {} : { field: name }) })
  return undefined
}

export function listOf(block: JsonObject | undefined): readonly JsonObject[] {
  return block === undefined ? [] : [block]
}
