import type {
  AssistantBlock,
  AudioBlock,
  ImageBlock,
  RefusalBlock,
  TextBlock,
  ToolCallBlock,
} from '../../../canonical/content.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { shortenCallId } from '../../tools/shorten-call-id.ts'
import { writeArguments } from '../../tools/write-tool-input.ts'
import { withExtras } from '../values/extras.ts'
import { writeCitation } from '../values/write-citation.ts'
import { splitName } from './namespaced-name.ts'
import type { BlockTarget } from './write-context.ts'
import { writeThinking } from './write-thinking.ts'

/** The service rejects longer IDs, with the same error as on the chat format. */
export const MAX_CALL_ID_CHARACTERS = 64

/** Returns the item for an assistant's block; undefined where the format has no such item, which is declared. */
export function writeAssistant(block: AssistantBlock, target: BlockTarget): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeText(block, target)
    case 'refusal':
      return writeMessage({ type: 'refusal', refusal: block.text }, block, target)
    case 'thinking':
    case 'redacted-thinking':
      return writeThinking(block, target)
    case 'tool-call':
      return writeCall(block, target)
    case 'audio':
      return writeTranscript(block, target)
    case 'image':
      return writeImage(block, target)
    case 'opaque':
      return writeOpaque(block, 'responses', target.losses)
    default:
      return unreachable(block)
  }
}

function writeText(block: TextBlock, target: BlockTarget): JsonObject {
  const { losses, side } = target
  if (block.cache !== undefined) losses.lose('cache-mark', 'dropped')
  const annotations = (block.citations ?? [])
    .map((citation) => writeCitation(citation, losses))
    .filter((annotation) => annotation !== undefined)
  const isBare = side === 'request' && annotations.length === 0
  const more = side === 'reply' ? { annotations, logprobs: [] } : isBare ? {} : { annotations }
  return writeMessage({ type: 'output_text', text: block.text, ...more }, block, target)
}

/** Writes a message of one part. This format's own fields of the message are under `message` of the block's extras. */
function writeMessage(
  part: JsonObject,
  { extras }: TextBlock | RefusalBlock,
  { losses }: BlockTarget,
): JsonObject {
  const { message, ...fields } = extras?.fields ?? {}
  const isOwn = extras?.format === 'responses'
  const remaining = isOwn && Object.keys(fields).length > 0 ? { ...extras, fields } : undefined
  const content = [withExtras(part, isOwn ? remaining : extras, { losses, path: 'messages.content' })]
  const written = { type: 'message', role: 'assistant', content }
  return isOwn && isJsonObject(message) ? { ...message, ...written } : written
}

function writeCall(call: ToolCallBlock, { losses, side }: BlockTarget): JsonObject {
  const { id, kind, input, cache, extras } = call
  const named = splitName(call.name) ?? { name: call.name }
  if (cache !== undefined) losses.lose('cache-mark', 'dropped')
  const isRequest = side === 'request'
  const call_id = isRequest ? shortenCallId(id, MAX_CALL_ID_CHARACTERS) : id
  // The format requires JSON. A caller reads the empty object like a call without arguments.
  const toCaller = input === '' ? '{}' : input
  const written: JsonObject =
    kind === 'function'
      ? {
          type: 'function_call',
          call_id,
          ...named,
          arguments: isRequest ? writeArguments(input, losses) : toCaller,
        }
      : { type: 'custom_tool_call', call_id, ...named, input }
  return withExtras(written, extras, { losses, path: 'messages.tool_calls' })
}

/** Writes audio as text where its transcript is known. */
function writeTranscript(block: AudioBlock, target: BlockTarget): JsonObject | undefined {
  const text = block.transcript ?? ''
  target.losses.lose('audio', text === '' ? 'dropped' : 'approximated')
  return text === '' ? undefined : writeText({ type: 'text', text }, target)
}

const IMAGE = 'image/'

/** Providers accept back only images that they store. A caller gets an image as a call of the image generation tool. */
function writeImage({ source, detail, extras }: ImageBlock, target: BlockTarget): JsonObject | undefined {
  const { losses, side } = target
  if (side === 'request' || source.type !== 'base64' || !source.mediaType.startsWith(IMAGE)) {
    losses.lose('image', 'dropped')
    return undefined
  }
  if (detail !== undefined) losses.lose('image-detail', 'dropped')
  const written = {
    type: 'image_generation_call',
    result: source.data,
    output_format: source.mediaType.slice(IMAGE.length),
  }
  return withExtras(written, extras, { losses, path: 'messages.content' })
}
