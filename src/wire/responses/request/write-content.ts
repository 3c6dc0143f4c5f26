import type { SystemBlock, TextBlock, ToolResultContent, UserBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { CONTENT_PATH, loseMark } from '../../fields/lose.ts'
import { loseStoredFile } from '../../fields/lose-stored-file.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { withExtras } from '../values/extras.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeAudio, writeImage } from './write-media.ts'

type InputBlock = UserBlock | SystemBlock | ToolResultContent

export function writeParts(blocks: readonly InputBlock[], losses: LossList): readonly JsonObject[] {
  return blocks.map((block) => writeContent(block, losses)).filter((part) => part !== undefined)
}

/**
 * Returns the part for a block of a message or of a tool's result; undefined where the format has no such part, which
 * is declared.
 */
export function writeContent(block: InputBlock, losses: LossList): JsonObject | undefined {
  if (loseStoredFile(block, losses)) return undefined
  if ('cache' in block) loseMark(block.cache, { losses })
  switch (block.type) {
    case 'text':
      return writeText(block, losses)
    case 'image':
      return writeImage(block, losses)
    case 'document':
      return writeDocument(block, losses)
    case 'audio':
      return writeAudio(block, losses)
    case 'video':
      losses.lose('video', 'dropped')
      return undefined
    case 'search-result':
      return writeSearchResult(block, losses)
    case 'opaque':
      return writeOpaque(block, 'responses', losses)
    default:
      return unreachable(block)
  }
}

function writeText({ text, citations = [], extras }: TextBlock, losses: LossList): JsonObject {
  if (citations.length > 0) losses.lose('citations', 'dropped')
  return withExtras({ type: 'input_text', text }, extras, { losses, path: CONTENT_PATH })
}
