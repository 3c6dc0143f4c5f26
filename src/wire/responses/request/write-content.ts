import type {
  AudioBlock,
  CacheMark,
  DocumentBlock,
  ImageBlock,
  SearchResultBlock,
  SystemBlock,
  TextBlock,
  ToolResultContent,
  UserBlock,
} from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { unreachable } from '../../../kit/values/unreachable.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { withExtras } from '../values/extras.ts'
import { writeOpaque } from './write-assistant.ts'

const PATH = 'messages.content'

type InputBlock = UserBlock | SystemBlock | ToolResultContent

export function writeParts(blocks: readonly InputBlock[], losses: LossList): readonly JsonObject[] {
  return blocks.map((block) => writePart(block, losses)).filter((part) => part !== undefined)
}

/** The part for a block of a message or of what a tool gave; undefined where the format has none, declared. */
function writePart(block: InputBlock, losses: LossList): JsonObject | undefined {
  if ('cache' in block) loseMark(block.cache, losses)
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
      losses.add({ feature: 'video', kind: 'dropped' })
      return undefined
    case 'search-result':
      return writeSearchResult(block, losses)
    case 'opaque':
      return writeOpaque(block, losses)
    default:
      return unreachable(block)
  }
}

export function loseMark(mark: CacheMark | undefined, losses: LossList): void {
  if (mark !== undefined) losses.add({ feature: 'cache-mark', kind: 'dropped' })
}

function writeText({ text, citations = [], extras }: TextBlock, losses: LossList): JsonObject {
  if (citations.length > 0) losses.add({ feature: 'citations', kind: 'dropped' })
  return withExtras({ type: 'input_text', text }, extras, { losses, path: PATH })
}

function writeImage({ source, detail = 'auto', extras }: ImageBlock, losses: LossList): JsonObject {
  const address = source.type === 'file' ? { file_id: source.fileId } : { image_url: writeMediaUrl(source) }
  return withExtras({ type: 'input_image', detail, ...address }, extras, { losses, path: PATH })
}

/** A file needs a name beside its bytes, so a document without a title gets one. Plain text becomes text. */
function writeDocument(block: DocumentBlock, losses: LossList): JsonObject {
  const { source, title, context, extras } = block
  if (source.type === 'text') {
    losses.add({ feature: 'document', kind: 'approximated' })
    const words = [title, context, source.text].filter((part) => part !== undefined)
    return withExtras({ type: 'input_text', text: words.join('\n\n') }, extras, { losses, path: PATH })
  }
  if (context !== undefined) losses.add({ feature: 'document', kind: 'approximated' })
  const isBytes = source.type === 'base64'
  if (isBytes && title === undefined) losses.add({ feature: 'document', kind: 'defaulted' })
  const file = omitUndefined({
    type: 'input_file',
    file_id: source.type === 'file' ? source.fileId : undefined,
    file_url: source.type === 'url' ? source.url : undefined,
    file_data: isBytes ? writeMediaUrl(source) : undefined,
    filename: title ?? (isBytes ? 'document.pdf' : undefined),
  })
  return withExtras(file, extras, { losses, path: PATH })
}

function writeAudio(block: AudioBlock, losses: LossList): JsonObject | undefined {
  const { id, data, encoding, transcript, expiresAtSeconds, extras } = block
  if (data === undefined || encoding === undefined) {
    losses.add({ feature: 'audio', kind: 'dropped' })
    return undefined
  }
  if (id !== undefined || transcript !== undefined || expiresAtSeconds !== undefined) {
    losses.add({ feature: 'audio', kind: 'approximated' })
  }
  const part = { type: 'input_audio', input_audio: { data, format: encoding } }
  return withExtras(part, extras, { losses, path: PATH })
}

function writeSearchResult(block: SearchResultBlock, losses: LossList): JsonObject {
  losses.add({ feature: 'search-result', kind: 'approximated' })
  for (const inner of block.content) {
    loseMark(inner.cache, losses)
    loseExtras(inner.extras, { losses, path: PATH })
  }
  const texts = block.content.map((inner) => inner.text)
  const text = [`${block.title}\n${block.source}`, ...texts].join('\n\n')
  return withExtras({ type: 'input_text', text }, block.extras, { losses, path: PATH })
}
