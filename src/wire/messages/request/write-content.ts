import type { SystemBlock, UserBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseStoredFile } from '../../fields/lose-stored-file.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeImage } from './write-media.ts'
import { writeTextBlock } from './write-text.ts'

/** Writes a block of the user, the system or a tool. Undefined if the format cannot carry it. */
export function writeContent(block: UserBlock | SystemBlock, losses: LossList): JsonObject | undefined {
  if (loseStoredFile(block, losses)) return undefined
  switch (block.type) {
    case 'text':
      return writeTextBlock(block, losses)
    case 'image':
      return writeImage(block, losses)
    case 'document':
      return writeDocument(block, losses)
    case 'search-result':
      return writeSearchResult(block, losses)
    case 'opaque':
      return writeOpaque(block, 'messages', losses)
    case 'audio':
    case 'video':
      losses.lose(block.type, 'dropped')
      return undefined
  }
}
