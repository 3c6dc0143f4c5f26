import type {
  DocumentBlock,
  ImageBlock,
  OpaqueBlock,
  SearchResultBlock,
  SystemBlock,
  TextBlock,
  ToolResultContent,
  UserBlock,
} from '../../../canonical/content.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { unreachable } from '../../../kit/values/unreachable.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { lose, loseMark, type WriteContext } from './write-context.ts'

type InputBlock = UserBlock | SystemBlock | ToolResultContent

export function writeParts(blocks: readonly InputBlock[], context: WriteContext): readonly JsonObject[] {
  return blocks.map((block) => writePart(block, context)).filter((part) => part !== undefined)
}

/** The part for a block; undefined where the format has none, which is then declared. */
export function writePart(block: InputBlock, context: WriteContext): JsonObject | undefined {
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
      lose(context, block.type, 'dropped')
      return undefined
    case 'opaque':
      return loseOpaque(block, context)
    default:
      return unreachable(block)
  }
}

/** One plain text is a string; several parts are a list. */
export function contentOf(parts: readonly JsonObject[]): JsonValue {
  const [first, ...others] = parts
  const text = first?.['type'] === 'text' ? first['text'] : undefined
  return typeof text === 'string' && others.length === 0 ? text : parts
}

export function writeText({ text, citations = [] }: TextBlock, context: WriteContext): JsonObject {
  if (citations.length > 0) lose(context, 'citations', 'dropped')
  return { type: 'text', text }
}

const details: ReadonlySet<string> = new Set(['auto', 'low', 'high'])

function writeImage({ source, detail }: ImageBlock, context: WriteContext): JsonObject | undefined {
  const url = writeMediaUrl(source)
  if (url === undefined) {
    lose(context, 'image', 'dropped')
    return undefined
  }
  const isKnown = detail === undefined || details.has(detail)
  if (!isKnown) lose(context, 'image-detail', 'dropped')
  return { type: 'image_url', image_url: omitUndefined({ url, detail: isKnown ? detail : undefined }) }
}

/** Users say documents in words; files are not taken. */
function writeDocument(
  { source, title, context: background }: DocumentBlock,
  context: WriteContext,
): JsonObject | undefined {
  if (source.type !== 'text') {
    lose(context, 'document', 'dropped')
    return undefined
  }
  lose(context, 'document', 'approximated')
  const words = [title, background, source.text].filter((part) => part !== undefined)
  return { type: 'text', text: words.join('\n\n') }
}

function writeSearchResult({ title, source, content }: SearchResultBlock, context: WriteContext): JsonObject {
  lose(context, 'search-result', 'approximated')
  const texts = content.map((inner) => writeText(inner, context)['text'])
  return { type: 'text', text: [`${title}\n${source}`, ...texts].join('\n\n') }
}

export function loseOpaque({ name, value }: OpaqueBlock, { losses }: WriteContext): undefined {
  const kind = name ?? value['type']
  losses.add({
    feature: 'foreign-block',
    kind: 'dropped',
    field: typeof kind === 'string' ? kind : 'unknown',
  })
}
