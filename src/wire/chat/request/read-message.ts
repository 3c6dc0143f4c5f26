import type {
  AssistantBlock,
  Block,
  RedactedThinkingBlock,
  ThinkingBlock,
  ToolResultBlock,
} from '../../../canonical/content.ts'
import type { SpokenTurn } from '../../../canonical/turn-list.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { joinPath, readObject, readString, requireString } from '../../fields/read-field.ts'
import { readCacheField } from '../values/cache-control.ts'
import { toExtras } from '../values/extras.ts'
import { joinDetails, readReasoningDetails } from '../values/reasoning-details.ts'
import { assistantParts, readContent, systemParts, toolParts, userParts } from './read-content.ts'
import { readFunctionCall, readToolCalls } from './read-tool-calls.ts'
import {
  assistantAudioFields,
  assistantMessageFields,
  functionMessageFields,
  systemMessageFields,
  toolMessageFields,
  userMessageFields,
  vendorMessageFields,
  vendorReasoningFields,
} from './request-fields.ts'

const systemMessage = knownFields(systemMessageFields, vendorMessageFields)
const userMessage = knownFields(userMessageFields, vendorMessageFields)
const assistantMessage = knownFields(assistantMessageFields, vendorMessageFields, vendorReasoningFields)
const assistantAudio = knownFields(assistantAudioFields)
const toolMessage = knownFields(toolMessageFields, vendorMessageFields)
const functionMessage = knownFields(functionMessageFields, vendorMessageFields)

export function readSystemMessage(
  message: JsonObject,
  path: string,
  authority: 'system' | 'developer',
): SpokenTurn {
  const read = readContent(message['content'], joinPath(path, 'content'), systemParts)
  const { content, unread } = markLast(read, message)
  return omitUndefined({
    role: 'system' as const,
    authority,
    name: readString(message, 'name', path),
    content,
    ...toExtras(leftoversOf(message, systemMessage), { cache_control: unread }),
  })
}

export function readUserMessage(message: JsonObject, path: string): SpokenTurn {
  const read = readContent(message['content'], joinPath(path, 'content'), userParts)
  const { content, unread } = markLast(read, message)
  return omitUndefined({
    role: 'user' as const,
    name: readString(message, 'name', path),
    content,
    ...toExtras(leftoversOf(message, userMessage), { cache_control: unread }),
  })
}

/** `legacyCallId` is the ID for a call of the deprecated form, which has no ID of its own. */
export function readAssistantMessage(message: JsonObject, path: string, legacyCallId: string): SpokenTurn {
  const { thinking, unread: unreadDetails } = readReasoning(message, path)
  const refusal = readString(message, 'refusal', path)
  const audio = readObject(message, 'audio', path)
  const call = readFunctionCall(message, path, legacyCallId)
  const blocks: AssistantBlock[] = [
    ...thinking,
    ...readContent(message['content'], joinPath(path, 'content'), assistantParts),
    ...(refusal === undefined || refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...(audio === undefined ? [] : [readAnsweredAudio(audio, joinPath(path, 'audio'))]),
    ...readToolCalls(message, path),
    ...(call === undefined ? [] : [call]),
  ]
  const { content, unread } = markLast(blocks, message)
  return omitUndefined({
    role: 'assistant' as const,
    name: readString(message, 'name', path),
    content,
    ...toExtras(leftoversOf(message, assistantMessage), {
      cache_control: unread,
      reasoning_details: unreadDetails,
    }),
  })
}

/** The details precede the plain text of the same reasoning, since they contain its signatures. */
function readReasoning(
  message: JsonObject,
  path: string,
): { readonly thinking: readonly AssistantBlock[]; readonly unread: JsonValue | undefined } {
  const details = readReasoningDetails(message['reasoning_details'])
  const blocks = joinDetails(details.blocks)
  const text = readString(message, 'reasoning_content', path) ?? readString(message, 'reasoning', path) ?? ''
  const plain: ThinkingBlock[] = text === '' ? [] : [{ type: 'thinking', text }]
  const hasWords = blocks.some((block) => block.type === 'thinking' && block.text !== '')
  return {
    thinking: hasWords ? blocks : attachJoinedText(plain, blocks),
    unread: details.unread.length === 0 ? undefined : details.unread,
  }
}

/**
 * Some clients join the text of a stream's chunks, but store only the last entry of the details, which is the
 * signature. This function gives that signature the joined text.
 */
function attachJoinedText(
  plain: readonly ThinkingBlock[],
  details: readonly (ThinkingBlock | RedactedThinkingBlock)[],
): readonly AssistantBlock[] {
  const [words] = plain
  const signed = details.filter(({ type }) => type === 'thinking')
  if (words === undefined || signed.length !== 1) return [...plain, ...details]
  return details.map((block) => (block.type === 'thinking' ? { ...block, text: words.text } : block))
}

function readAnsweredAudio(audio: JsonObject, path: string): AssistantBlock {
  return {
    type: 'audio',
    id: requireString(audio, 'id', path),
    ...toExtras(leftoversOf(audio, assistantAudio)),
  }
}

export function readToolMessage(message: JsonObject, path: string): ToolResultBlock {
  const { mark, unread } = readCacheField(message)
  return {
    type: 'tool-result',
    callId: requireString(message, 'tool_call_id', path),
    content: readContent(message['content'], joinPath(path, 'content'), toolParts),
    isError: false,
    ...mark,
    ...toExtras(leftoversOf(message, toolMessage), { cache_control: unread }),
  }
}

/**
 * Reads the result of a call of the deprecated form. The result names only the function, so the caller passes the
 * call's ID.
 */
export function readFunctionMessage(message: JsonObject, path: string, callId: string): ToolResultBlock {
  const { mark, unread } = readCacheField(message)
  requireString(message, 'name', path)
  return {
    type: 'tool-result',
    callId,
    content: readContent(message['content'], joinPath(path, 'content'), toolParts),
    isError: false,
    ...mark,
    ...toExtras(leftoversOf(message, functionMessage), { cache_control: unread }),
  }
}

const markable = new Set<Block['type']>(['text', 'image', 'document', 'tool-call'])

/** Moves a cache mark on the whole message to its last block. Fields that no block can hold stay unchanged. */
function markLast<Item extends Block>(
  blocks: readonly Item[],
  message: JsonObject,
): { readonly content: readonly Item[]; readonly unread: JsonValue | undefined } {
  const { mark, unread } = readCacheField(message)
  const last = blocks.at(-1)
  if (mark.cache === undefined) return { content: blocks, unread }
  if (last === undefined || !markable.has(last.type)) {
    return { content: blocks, unread: message['cache_control'] }
  }
  return { content: [...blocks.slice(0, -1), { ...last, ...mark }], unread: undefined }
}
