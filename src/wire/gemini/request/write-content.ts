import type { SystemBlock, TextBlock, UserBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { withExtras } from '../values/extras.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeAudio, writeImage, writeVideo } from './write-media.ts'

export const PATH = 'messages.content'

/** Writes a user's or a system's block as a part. Undefined, with a declared loss, if the format has no such part. */
export function writeContent(block: UserBlock | SystemBlock, losses: LossList): JsonObject | undefined {
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
      return writeVideo(block, losses)
    case 'search-result':
      return writeSearchResult(block, losses)
    case 'opaque':
      return writeOpaque(block, 'gemini', losses)
    default:
      return unreachable(block)
  }
}

/** Writes a text. Undefined for an empty text, since the service refuses a part with empty text. */
export function writeText(
  { text, citations = [], cache, extras }: TextBlock,
  losses: LossList,
): JsonObject | undefined {
  if (cache !== undefined) losses.lose('cache-mark', 'dropped')
  if (citations.length > 0) losses.lose('citations', 'dropped')
  if (text === '' && extras === undefined) return undefined
  return withExtras({ text }, extras, { losses, path: PATH })
}
