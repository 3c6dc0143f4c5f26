import type { SystemBlock, TextBlock, ToolResultContent, UserBlock } from '../../../canonical/content.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { CONTENT_PATH } from '../../fields/lose.ts'
import { loseStoredFile } from '../../fields/lose-stored-file.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { withExtras } from '../values/extras.ts'
import { cacheMarkField, type WriteContext } from './write-context.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeAudio, writeImage, writeVideo } from './write-media.ts'

/** Returns the part for a block; undefined where the format has no such part, which is declared. */
export function writeContent(
  block: UserBlock | SystemBlock | ToolResultContent,
  context: WriteContext,
): JsonObject | undefined {
  if (loseStoredFile(block, context.losses)) return undefined
  switch (block.type) {
    case 'text':
      return writeTextPart(block, context)
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
      return writeOpaque(block, 'chat', context.losses)
    default:
      return unreachable(block)
  }
}

export function writeParts(
  blocks: readonly (UserBlock | SystemBlock | ToolResultContent)[],
  context: WriteContext,
): readonly JsonObject[] {
  return blocks.map((block) => writeContent(block, context)).filter((part) => part !== undefined)
}

/**
 * Writes parts in the form that the format accepts. A single plain text, or no part, becomes a string. Several parts
 * become a list. Where the dialect accepts only strings, plain texts are joined by line feeds.
 */
export function textOrParts(parts: readonly JsonObject[], context: WriteContext): JsonValue {
  const [first] = parts
  if (first === undefined) return ''
  const text = plainTextOf(first)
  if (parts.length === 1 && text !== '') return text ?? parts
  if (context.dialect.textParts) return parts
  const texts = parts.map(plainTextOf)
  if (!texts.every((one) => one !== undefined)) return parts
  return texts.join('\n')
}

function plainTextOf(part: JsonObject): string | undefined {
  const { text } = part
  if (typeof text !== 'string' || part['type'] !== 'text') return undefined
  return Object.keys(part).length === 2 ? text : undefined
}

export function writeTextPart(block: TextBlock, context: WriteContext): JsonObject {
  if (block.citations !== undefined && block.citations.length > 0) context.losses.lose('citations', 'dropped')
  const part = { type: 'text', text: block.text, ...cacheMarkField(block.cache, context) }
  return withExtras(part, block.extras, { losses: context.losses, path: CONTENT_PATH })
}
