import type { ToolCallBlock } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'
import { FREE_TEXT_PROPERTY } from '../../canonical/restore-calls.ts'
import { isDeepJson } from '../../kit/json/is-deep-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'

/**
 * Returns a call's input as the object that the format requires. Empty text becomes the empty object. The free text of
 * a custom tool, and text that is not a JSON object or nests too deep to be written, become `{"input": text}`, so that
 * the model still sees the text.
 */
export function writeToolInput(call: ToolCallBlock, losses: LossList): JsonObject {
  if (call.kind === 'custom') {
    losses.lose('custom-tool', 'approximated')
    return { [FREE_TEXT_PROPERTY]: call.input }
  }
  if (call.input.trim() === '') return {}
  const value = parseOrNothing(call.input)
  if (isJsonObject(value)) return value
  losses.lose('tool-input', 'approximated')
  return { [FREE_TEXT_PROPERTY]: call.input }
}

/**
 * Returns a call's input for a format whose clients run each call that they get, however the answer ended. Undefined,
 * with a declared loss, if the input of a function is not an object, since the answer was cut off within it.
 */
export function writeWholeInput(call: ToolCallBlock, losses: LossList): JsonObject | undefined {
  const isCut =
    call.kind === 'function' && call.input.trim() !== '' && !isJsonObject(parseOrNothing(call.input))
  if (!isCut) return writeToolInput(call, losses)
  losses.lose('tool-input', 'dropped')
  return undefined
}

/**
 * Returns a function's input as the text of a JSON object. Servers parse the arguments of earlier calls, and refuse the
 * conversation for good where a model wrote anything else (https://github.com/vllm-project/vllm/pull/48922,
 * https://github.com/sgl-project/sglang/pull/28035, seen 2026-11-30). An object stays as the model wrote it.
 */
export function writeArguments(input: string, losses: LossList): string {
  if (isJsonObject(parseOrNothing(input))) return input
  losses.lose('tool-input', 'approximated')
  return input.trim() === '' ? '{}' : JSON.stringify({ [FREE_TEXT_PROPERTY]: input })
}

function parseOrNothing(text: string): JsonValue | undefined {
  return isDeepJson(text) ? undefined : tryParseJson(text)
}
