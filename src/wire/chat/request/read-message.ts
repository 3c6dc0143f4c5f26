import type {
  AssistantBlock,
  Block,
  RedactedThinkingBlock,
  ThinkingBlock,
  ToolResultBlock,
} from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { pathOf, readObject, readString, requireString } from '../../fields/read-field.ts'
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
  place: string,
  authority: 'system' | 'developer',
): Turn {
  const read = readContent(message['content'], pathOf(place, 'content'), systemParts)
  const { content, unread } = markLast(read, message)
  return omitUndefined({
    role: 'system' as const,
    authority,
    name: readString(message, 'name', place),
    content,
    ...toExtras(leftoversOf(message, systemMessage), { cache_control: unread }),
  })
}

export function readUserMessage(message: JsonObject, place: string): Turn {
  const read = readContent(message['content'], pathOf(place, 'content'), userParts)
  const { content, unread } = markLast(read, message)
  return omitUndefined({
    role: 'user' as const,
    name: readString(message, 'name', place),
    content,
    ...toExtras(leftoversOf(message, userMessage), { cache_control: unread }),
  })
}

/** `legacyCallId` names a call of the old form, which has no id of its own. */
export function readAssistantMessage(message: JsonObject, place: string, legacyCallId: string): Turn {
  const { thinking, unread: unreadDetails } = readReasoning(message, place)
  const refusal = readString(message, 'refusal', place)
  const audio = readObject(message, 'audio', place)
  const call = readFunctionCall(message, place, legacyCallId)
  const blocks: AssistantBlock[] = [
    ...thinking,
    ...readContent(message['content'], pathOf(place, 'content'), assistantParts),
    ...(refusal === undefined || refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...(audio === undefined ? [] : [readAnsweredAudio(audio, pathOf(place, 'audio'))]),
    ...readToolCalls(message, place),
    ...(call === undefined ? [] : [call]),
  ]
  const { content, unread } = markLast(blocks, message)
  return omitUndefined({
    role: 'assistant' as const,
    name: readString(message, 'name', place),
    content,
    ...toExtras(leftoversOf(message, assistantMessage), {
      cache_control: unread,
      reasoning_details: unreadDetails,
    }),
  })
}

/** Details stand before the plain text of the same reasoning, since they hold its signatures. */
function readReasoning(
  message: JsonObject,
  place: string,
): { readonly thinking: readonly AssistantBlock[]; readonly unread: JsonValue | undefined } {
  const details = readReasoningDetails(message['reasoning_details'])
  const blocks = joinDetails(details.blocks)
  const text =
    readString(message, 'reasoning_content', place) ?? readString(message, 'reasoning', place) ?? ''
  const plain: ThinkingBlock[] = text === '' ? [] : [{ type: 'thinking', text }]
  const hasWords = blocks.some((block) => block.type === 'thinking' && block.text !== '')
  return {
    thinking: hasWords ? blocks : proveWords(plain, blocks),
    unread: details.unread.length === 0 ? undefined : details.unread,
  }
}

/** Of a stream's pieces, some clients join the words and keep the last entry of the details, which is the signature. */
function proveWords(
  plain: readonly ThinkingBlock[],
  details: readonly (ThinkingBlock | RedactedThinkingBlock)[],
): readonly AssistantBlock[] {
  const [words] = plain
  const proofs = details.filter(({ type }) => type === 'thinking')
  if (words === undefined || proofs.length !== 1) return [...plain, ...details]
  return details.map((block) => (block.type === 'thinking' ? { ...block, text: words.text } : block))
}

function readAnsweredAudio(audio: JsonObject, place: string): AssistantBlock {
  return {
    type: 'audio',
    id: requireString(audio, 'id', place),
    ...toExtras(leftoversOf(audio, assistantAudio)),
  }
}

export function readToolMessage(message: JsonObject, place: string): ToolResultBlock {
  const { mark, unread } = readCacheField(message)
  return {
    type: 'tool-result',
    callId: requireString(message, 'tool_call_id', place),
    content: readContent(message['content'], pathOf(place, 'content'), toolParts),
    isError: false,
    ...mark,
    ...toExtras(leftoversOf(message, toolMessage), { cache_control: unread }),
  }
}

/** The result of a call of the old form: it names the function alone, so the call's id comes from before. */
export function readFunctionMessage(message: JsonObject, place: string, callId: string): ToolResultBlock {
  const { mark, unread } = readCacheField(message)
  requireString(message, 'name', place)
  return {
    type: 'tool-result',
    callId,
    content: readContent(message['content'], pathOf(place, 'content'), toolParts),
    isError: false,
    ...mark,
    ...toExtras(leftoversOf(message, functionMessage), { cache_control: unread }),
  }
}

const markable = new Set<Block['type']>(['text', 'image', 'document', 'tool-call'])

/** A mark on the whole message is a mark on its last block. What no block can hold stays as it came. */
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
