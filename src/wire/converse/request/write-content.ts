import type {
  OpaqueBlock,
  SearchResultBlock,
  SystemBlock,
  TextBlock,
  ToolResultContent,
  UserBlock,
} from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { lose, type WriteContext } from './write-context.ts'
import { writeAudio, writeDocument, writeImage, writeVideo } from './write-media.ts'

/** A block of what the user, the system or a tool says; undefined where the format has no place for it. */
export function writeBlock(
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

/** Models that do not know results of searches read them as text. */
function writeSearchResult(block: SearchResultBlock, context: WriteContext): JsonObject | undefined {
  const { source, title, extras } = block
  const { losses } = context
  const texts = block.content.filter(({ text }) => text.trim() !== '')
  if (texts.length < block.content.length) lose(context, 'search-result', 'approximated')
  if (texts.some(({ cache }) => cache !== undefined)) lose(context, 'cache-mark', 'dropped')
  if (texts.some(({ citations }) => citations !== undefined)) lose(context, 'citations', 'dropped')
  if (context.model.searchResults) {
    const content = texts.map(({ text }) => ({ text }))
    for (const text of texts) withExtras({}, text.extras, { losses, path: 'messages.content' })
    const written = { source, title, content }
    return { searchResult: withExtras(written, extras, { losses, path: 'messages.content' }) }
  }
  lose(context, 'search-result', 'approximated')
  return { text: [title, source, ...texts.map(({ text }) => text)].join('\n') }
}
