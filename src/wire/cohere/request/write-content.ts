import type { SystemBlock, TextBlock, ToolResultContent, UserBlock } from '../../../canonical/content.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { loseMark } from '../../fields/lose.ts'
import { loseStoredFile } from '../../fields/lose-stored-file.ts'
import { loseOpaque } from '../../fields/write-opaque.ts'
import { plainTextOf, type WriteContext } from './write-context.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeImage } from './write-media.ts'

type InputBlock = UserBlock | SystemBlock | ToolResultContent

export function writeParts(blocks: readonly InputBlock[], context: WriteContext): readonly JsonObject[] {
  return blocks.map((block) => writeContent(block, context)).filter((part) => part !== undefined)
}

/** Writes a block as a part. Undefined, with a declared loss, if the format has no such part. */
export function writeContent(block: InputBlock, context: WriteContext): JsonObject | undefined {
  if (loseStoredFile(block, context.losses)) return undefined
  if ('cache' in block) loseMark(block.cache, context)
  if ('extras' in block) loseExtras(block.extras, { losses: context.losses, path: 'messages.content' })
  switch (block.type) {
    case 'text':
      return writeText(block, context)
    case 'image':
      return writeImage(block, context)
    case 'document':
      return writeDocument(block, context)
    case 'search-result':
      return writeSearchResult(block, context)
    case 'audio':
    case 'video':
      context.losses.lose(block.type, 'dropped')
      return undefined
    case 'opaque':
      return loseOpaque(block, context.losses)
    default:
      return unreachable(block)
  }
}

/** The content of a message: a single plain text is a string, and anything else is a list of parts. */
export function contentOf(parts: readonly JsonObject[]): JsonValue {
  const [first, ...others] = parts
  const text = first?.['type'] === 'text' ? first['text'] : undefined
  return typeof text === 'string' && others.length === 0 ? text : parts
}

export function writeText(block: TextBlock, context: WriteContext): JsonObject {
  return { type: 'text', text: plainTextOf(block, context) }
}
