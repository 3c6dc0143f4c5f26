import type { AssistantBlock, ToolCallBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { writeWholeInput } from '../../tools/write-tool-input.ts'
import { guessMediaType } from '../request/read-media.ts'
import { withExtras } from '../values/extras.ts'

type StartOf<Type extends BlockStart['type']> = Extract<BlockStart, { readonly type: Type }>
type BlockOf<Type extends AssistantBlock['type']> = Extract<AssistantBlock, { readonly type: Type }>

/** The content of one part of an answer: a block, or the portion of a block that has arrived. */
export type WholeBlock =
  | {
      readonly type: 'words'
      readonly start: StartOf<'text' | 'thinking' | 'refusal'>
      readonly text: string
    }
  | {
      readonly type: 'thought'
      readonly start: StartOf<'thinking'>
      readonly text: string
      readonly signature: string | undefined
    }
  | { readonly type: 'sound'; readonly start: StartOf<'audio'>; readonly data: string }
  | { readonly type: 'call'; readonly call: ToolCallBlock }
  | { readonly type: 'whole'; readonly block: StartOf<'image' | 'opaque'> | BlockOf<'redacted-thinking'> }

const path = 'candidates.content.parts'

/** Whether this thought comes from the Gemini format. Then its signature belongs to the text, not to the next part. */
export function isOwnThought({ type, ...start }: BlockStart): boolean {
  return type === 'thinking' && 'extras' in start && start.extras?.format === 'gemini'
}

/** Writes one part of an answer. Undefined, with a declared loss, if the format cannot carry the content. */
export function writeOutputPart(whole: WholeBlock, losses: LossList): JsonObject | undefined {
  switch (whole.type) {
    case 'words':
      return writeWords(whole, losses)
    case 'thought': {
      const { start, text, signature } = whole
      const written = omitUndefined({ text, thought: true, thoughtSignature: signature })
      return withExtras(written, start.extras, { losses, path })
    }
    case 'sound':
      return writeSound(whole, losses)
    case 'call':
      return writeCall(whole.call, losses)
    case 'whole':
      return writeWhole(whole.block, losses)
  }
}

function writeWords(
  { start, text }: Extract<WholeBlock, { readonly type: 'words' }>,
  losses: LossList,
): JsonObject {
  if (start.type === 'refusal') losses.lose('refusal', 'approximated')
  const written = start.type === 'thinking' ? { text, thought: true } : { text }
  return withExtras(written, start.extras, { losses, path })
}

/** The format requires the encoding of audio. A transcript becomes a text part next to the audio. */
function writeSound(
  { start, data }: Extract<WholeBlock, { readonly type: 'sound' }>,
  losses: LossList,
): JsonObject | undefined {
  const { encoding, id, transcript, expiresAtSeconds, extras } = start
  if (encoding === undefined) losses.lose('audio', 'defaulted')
  if (id !== undefined || transcript !== undefined || expiresAtSeconds !== undefined)
    losses.lose('audio', 'approximated')
  if (data === '') return undefined
  const written = { inlineData: { mimeType: `audio/${encoding ?? 'wav'}`, data } }
  return withExtras(written, extras, { losses, path })
}

function writeCall(call: ToolCallBlock, losses: LossList): JsonObject | undefined {
  const { id, name, extras } = call
  const args = writeWholeInput(call, losses)
  if (args === undefined) return undefined
  const written = { functionCall: { id, name, args } }
  return withExtras(written, extras, { losses, path })
}

function writeWhole(
  block: Extract<WholeBlock, { readonly type: 'whole' }>['block'],
  losses: LossList,
): JsonObject | undefined {
  if (block.type === 'image') return writeImage(block, losses)
  return block.type === 'opaque' ? writeOpaque(block, 'gemini', losses) : undefined
}

/** An image at a URL needs its media type. A file ID means nothing to other providers. */
function writeImage({ source, detail, extras }: StartOf<'image'>, losses: LossList): JsonObject | undefined {
  if (detail !== undefined) losses.lose('image-detail', 'dropped')
  if (source.type === 'base64') {
    const { mediaType: mimeType, data } = source
    return withExtras({ inlineData: { mimeType, data } }, extras, { losses, path })
  }
  const fileUri = source.type === 'url' ? source.url : source.fileId
  const mimeType = guessMediaType(fileUri)
  if (source.type === 'url' && mimeType?.startsWith('image/') === true) {
    return withExtras({ fileData: { mimeType, fileUri } }, extras, { losses, path })
  }
  losses.lose('image', 'dropped')
  return undefined
}
