import type { AssistantBlock, AudioBlock, RefusalBlock, ToolCallBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { writeArguments } from '../../tools/write-tool-input.ts'
import { withExtras } from '../values/extras.ts'
import { toolCallId } from '../values/tool-call-id.ts'
import { textOrParts, writeTextPart } from './write-content.ts'
import { cacheMarkField, nameField, type WriteContext } from './write-context.ts'
import { writeThinking, writeThinkingPart } from './write-thinking.ts'

type AssistantTurn = Extract<Turn, { readonly role: 'assistant' }>

export const none: JsonObject = Object.freeze({})

/** Writes one message. Content and calls are in separate fields, so only the order within each of the two survives. */
export function writeAssistant(turn: AssistantTurn, context: WriteContext): JsonObject {
  const { content, name, extras } = turn
  const thinking = content.filter((block) => block.type === 'thinking' || block.type === 'redacted-thinking')
  const calls = writeToolCalls(content, context)
  const sounds = content.filter((block) => block.type === 'audio')
  if (!isInOrder(content, context)) context.losses.lose('block-order', 'approximated')
  const parts = content.map((block) => writeSpokenPart(block, context)).filter((part) => part !== undefined)
  const audio = writeAudio(sounds, context)
  const isSilent = parts.length === 0 && (calls.length > 0 || audio !== undefined)
  const message = {
    role: 'assistant',
    ...nameField(name, context),
    ...writeThinking(thinking, context),
    content: isSilent ? null : textOrParts(parts, context),
    ...(audio === undefined ? none : { audio }),
    ...(calls.length === 0 ? none : { tool_calls: calls }),
  }
  return withExtras(message, extras, { losses: context.losses, path: 'messages' })
}

const ranks: Readonly<Record<AssistantBlock['type'], number>> = {
  thinking: 0,
  'redacted-thinking': 0,
  text: 1,
  refusal: 1,
  opaque: 1,
  image: 1,
  audio: 2,
  'tool-call': 3,
}

/** Whether reading the message field by field gives the blocks in their original order. */
function isInOrder(content: readonly AssistantBlock[], { dialect }: WriteContext): boolean {
  const isThinkingSpoken = dialect.reasoningReplay === 'thinking_parts'
  const rankOf = ({ type }: AssistantBlock) =>
    type === 'thinking' && isThinkingSpoken ? ranks.text : ranks[type]
  return content.every((block, index) => {
    const before = index === 0 ? undefined : content[index - 1]
    return before === undefined || rankOf(before) <= rankOf(block)
  })
}

function writeSpokenPart(block: AssistantBlock, context: WriteContext): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeTextPart(block, context)
    case 'refusal':
      return writeRefusal(block, context)
    case 'opaque':
      return writeOpaque(block, 'chat', context.losses)
    case 'thinking':
      return context.dialect.reasoningReplay === 'thinking_parts' ? writeThinkingPart(block) : undefined
    case 'image':
      // The format accepts images only from users.
      context.losses.lose('image', 'dropped')
      return undefined
    default:
      return undefined
  }
}

function writeRefusal({ text, extras }: RefusalBlock, { dialect, losses }: WriteContext): JsonObject {
  const part = dialect.refusalParts ? { type: 'refusal', refusal: text } : { type: 'text', text }
  if (!dialect.refusalParts) losses.lose('refusal', 'approximated')
  return withExtras(part, extras, { losses, path: 'messages.content' })
}

/** An audio answer is sent back by its ID. A message can carry only one. */
function writeAudio(sounds: readonly AudioBlock[], context: WriteContext): JsonObject | undefined {
  const first = sounds.find((sound) => sound.id !== undefined)
  if (sounds.length > 1 || (first === undefined && sounds.length > 0)) context.losses.lose('audio', 'dropped')
  if (first === undefined) return undefined
  const { data, transcript, encoding, expiresAtSeconds } = first
  const more = [data, transcript, encoding, expiresAtSeconds]
  if (more.some((value) => value !== undefined)) context.losses.lose('audio', 'approximated')
  return withExtras({ id: first.id }, first.extras, { losses: context.losses, path: 'messages.audio' })
}

/**
 * Writes the tool calls. A server without functions does not learn of earlier calls; their results become text of the
 * user.
 */
function writeToolCalls(content: readonly AssistantBlock[], context: WriteContext): readonly JsonObject[] {
  const calls = content.filter((block) => block.type === 'tool-call')
  if (context.dialect.tools) return calls.map((call) => writeToolCall(call, context))
  if (calls.length > 0) {
    context.losses.lose('foreign-field', 'dropped', 'messages.tool_calls')
  }
  return []
}

function writeToolCall(call: ToolCallBlock, context: WriteContext): JsonObject {
  const { kind, name, input } = call
  const id = toolCallId(call.id, context.dialect)
  const mark = cacheMarkField(call.cache, context)
  const written =
    kind === 'function'
      ? {
          id,
          type: 'function',
          function: { name, arguments: writeArguments(input, context.losses) },
          ...mark,
        }
      : { id, type: 'custom', custom: { name, input }, ...mark }
  return withExtras(written, call.extras, { losses: context.losses, path: 'messages.tool_calls' })
}
