import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  OpaqueBlock,
  SearchResultBlock,
  SystemBlock,
  TextBlock,
  ToolResultContent,
  UserBlock,
  VideoBlock,
} from '../../../canonical/content.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { unreachable } from '../../../kit/values/unreachable.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { withExtras } from '../values/extras.ts'
import { lose, loseMark, markField, type WriteContext } from './write-context.ts'

const PATH = 'messages.content'

/** The part for a block; undefined where the format has none, which is then declared. */
export function writePart(
  block: UserBlock | SystemBlock | ToolResultContent,
  context: WriteContext,
): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeTextPart(block, context)
    case 'image':
      return writeImagePart(block, context)
    case 'document':
      return writeDocumentPart(block, context)
    case 'audio':
      return writeAudioPart(block, context)
    case 'video':
      return writeVideoPart(block, context)
    case 'search-result':
      return writeSearchResult(block, context)
    case 'opaque':
      return writeOpaque(block, context)
    default:
      return unreachable(block)
  }
}

export function writeParts(
  blocks: readonly (UserBlock | SystemBlock | ToolResultContent)[],
  context: WriteContext,
): readonly JsonObject[] {
  return blocks.map((block) => writePart(block, context)).filter((part) => part !== undefined)
}

/**
 * Parts as the format takes them: one plain text, or none, is a string; several are a list, or, where the dialect
 * takes strings alone, plain texts joined by line feeds.
 */
export function contentOf(parts: readonly JsonObject[], context: WriteContext): JsonValue {
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
  if (block.citations !== undefined && block.citations.length > 0) lose(context, 'citations', 'dropped')
  const part = { type: 'text', text: block.text, ...markField(block.cache, context) }
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

/** Undefined also where the server fetches nothing of the kind. */
function fetchableAddress(
  { type, source }: ImageBlock | VideoBlock,
  { dialect }: WriteContext,
): string | undefined {
  const isRefused = source.type === 'url' && !dialect.mediaAddresses.includes(type)
  return isRefused ? undefined : writeMediaUrl(source)
}

function writeImagePart(block: ImageBlock, context: WriteContext): JsonObject | undefined {
  const url = fetchableAddress(block, context)
  if (url === undefined) {
    lose(context, 'image', 'dropped')
    return undefined
  }
  const part = {
    type: 'image_url',
    image_url: omitUndefined({ url, detail: block.detail }),
    ...markField(block.cache, context),
  }
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

/**
 * A file needs a name beside its bytes (https://platform.openai.com/docs/guides/pdf-files, seen 2026-11-20), so a
 * document without a title gets one. Documents of plain text become text; those behind an address can only be sent
 * where the dialect knows how.
 */
function writeDocumentPart(block: DocumentBlock, context: WriteContext): JsonObject | undefined {
  const { source, title, context: background } = block
  if (source.type === 'text') return writeTextDocument(block, source.text, context)
  const { documents } = context.dialect
  if (source.type === 'url' && documents === 'file') {
    lose(context, 'document', 'dropped')
    return undefined
  }
  if (background !== undefined) lose(context, 'document', 'approximated')
  if (documents === 'document_url' && source.type !== 'file') return writeDocumentUrl(block, context)
  const isFile = source.type === 'file'
  if (title === undefined && !isFile) lose(context, 'document', 'defaulted')
  const file = isFile
    ? omitUndefined({ file_id: source.fileId, filename: title })
    : { filename: title ?? 'document.pdf', file_data: writeMediaUrl(source) }
  const part = { type: 'file', file, ...markField(block.cache, context) }
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

/** Mistral's own part, in which bytes and addresses stand alike. */
function writeDocumentUrl(block: DocumentBlock, context: WriteContext): JsonObject {
  const { source, title } = block
  const url = source.type === 'text' ? undefined : writeMediaUrl(source)
  const part = omitUndefined({
    type: 'document_url',
    document_url: url,
    document_name: title,
    ...markField(block.cache, context),
  })
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

function writeTextDocument(block: DocumentBlock, text: string, context: WriteContext): JsonObject {
  lose(context, 'document', 'approximated')
  const words = [block.title, block.context, text].filter((part) => part !== undefined).join('\n\n')
  const part = { type: 'text', text: words, ...markField(block.cache, context) }
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

function writeSearchResult(block: SearchResultBlock, context: WriteContext): JsonObject {
  lose(context, 'search-result', 'approximated')
  for (const inner of block.content) {
    loseMark(inner.cache, context)
    loseExtras(inner.extras, { losses: context.losses, path: PATH })
  }
  const texts = block.content.map((inner) => inner.text)
  const part = {
    type: 'text',
    text: [`${block.title}\n${block.source}`, ...texts].join('\n\n'),
    ...markField(block.cache, context),
  }
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

function writeAudioPart(block: AudioBlock, context: WriteContext): JsonObject | undefined {
  const { id, data, encoding, transcript, expiresAtSeconds } = block
  if (data === undefined || encoding === undefined) {
    lose(context, 'audio', 'dropped')
    return undefined
  }
  if (id !== undefined || transcript !== undefined || expiresAtSeconds !== undefined) {
    lose(context, 'audio', 'approximated')
  }
  const part = { type: 'input_audio', input_audio: { data, format: encoding } }
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

/** Not in the official format; the form that OpenRouter, vLLM and others share. */
function writeVideoPart(block: VideoBlock, context: WriteContext): JsonObject | undefined {
  const url = fetchableAddress(block, context)
  if (url === undefined) {
    lose(context, 'video', 'dropped')
    return undefined
  }
  const part = { type: 'video_url', video_url: { url } }
  return withExtras(part, block.extras, { losses: context.losses, path: PATH })
}

export function writeOpaque(block: OpaqueBlock, context: WriteContext): JsonObject | undefined {
  if (block.format === 'chat') return block.value
  const kind = block.name ?? block.value['type']
  context.losses.add({
    feature: 'foreign-block',
    kind: 'dropped',
    field: typeof kind === 'string' ? kind : 'unknown',
  })
  return undefined
}
