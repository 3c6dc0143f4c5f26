import type { LossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
} from '../../../kit/json/json.ts'

/** The input of a call without arguments. */
const NO_ARGUMENTS = '{}'

/** Whether an input so far is that of a call without arguments, or may become it. */
export function beginsNoArguments(input: string): boolean {
  return input.length <= NO_ARGUMENTS.length && NO_ARGUMENTS.startsWith(input)
}

interface CallInput {
  readonly text: string
  /** Whether the caller has not seen the input, which is the empty object or its beginning. */
  readonly isInputHeld: boolean
}

/** Returns the item without the fields that later events fill. */
export function emptyItem(item: JsonObject): JsonObject {
  switch (item['type']) {
    case 'message':
      return { ...item, content: [] }
    case 'function_call':
      return { ...item, arguments: '' }
    case 'custom_tool_call':
      return { ...item, input: '' }
    default:
      return item
  }
}

export function firstOf(parts: JsonValue | undefined): JsonObject {
  const [part = {}] = objectsIn(parts)
  return part
}

/** Returns the part of a message as it starts, without text. */
export function emptyPart({ content }: JsonObject): JsonObject {
  const part = firstOf(content)
  return { ...part, ...(part['type'] === 'refusal' ? { refusal: '' } : { text: '', annotations: [] }) }
}

/** Returns the events that end the part of a message. */
export function endMessage(item: JsonObject): readonly JsonObject[] {
  const part = firstOf(item['content'])
  const { text = '', refusal, logprobs = [] } = part
  const words: JsonObject =
    refusal === undefined
      ? { type: 'response.output_text.done', text, logprobs }
      : { type: 'response.refusal.done', refusal }
  return [words, { type: 'response.content_part.done', part }]
}

/**
 * Returns the item of a cut call. One without any argument has an empty text as its arguments, since clients would run
 * a call without arguments. Claude streams no input of a call that is cut within its first argument, and states an
 * empty object as its input.
 */
export function cutCall(item: JsonObject, { text, isInputHeld }: CallInput, losses: LossList): JsonObject {
  const isEmpty = text === '' || (isInputHeld && text === NO_ARGUMENTS)
  if (item['type'] !== 'function_call' || !isEmpty) return item
  if (text !== '') losses.lose('tool-input', 'dropped')
  return { ...item, arguments: '' }
}

/** Returns the events that end a call's input. Missing arguments of a whole call are an empty object. */
export function endCall({ text, isInputHeld }: CallInput, item: JsonObject): readonly JsonObject[] {
  if (item['type'] === 'custom_tool_call') {
    return [{ type: 'response.custom_tool_call_input.done', input: item['input'] ?? '' }]
  }
  const { arguments: input = '', name = '' } = item
  const done = { type: 'response.function_call_arguments.done', arguments: input, name }
  const isUnseen = (text === '' || isInputHeld) && input !== ''
  return isUnseen ? [{ type: 'response.function_call_arguments.delta', delta: input }, done] : [done]
}

/** Adds log probabilities to the first text of a message. */
export function addToText(item: JsonObject, logprobs: readonly JsonValue[]): JsonObject {
  const { content } = item
  const at = isJsonArray(content) ? content.findIndex(isText) : -1
  if (logprobs.length === 0 || !isJsonArray(content) || at === -1) return item
  return { ...item, content: content.map((part, index) => (index === at ? withMore(part, logprobs) : part)) }
}

export function isText(part: JsonValue): boolean {
  return isJsonObject(part) && part['type'] === 'output_text'
}

function withMore(part: JsonValue, more: readonly JsonValue[]): JsonValue {
  if (!isJsonObject(part)) return part
  const { logprobs: before } = part
  return { ...part, logprobs: isJsonArray(before) ? [...before, ...more] : more }
}

/** Returns the type of the events in which a block's text grows. */
export function deltaType(start: BlockStart): string {
  switch (start.type) {
    case 'thinking':
      return 'response.reasoning_summary_text.delta'
    case 'refusal':
      return 'response.refusal.delta'
    case 'tool-call':
      return start.kind === 'function'
        ? 'response.function_call_arguments.delta'
        : 'response.custom_tool_call_input.delta'
    default:
      return 'response.output_text.delta'
  }
}
