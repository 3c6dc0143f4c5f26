import type { LossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { withExtras } from '../values/extras.ts'

export type CallStart = Extract<BlockStart, { readonly type: 'tool-call' }>

/** Writes the calls of one choice. Undefined where the form cannot carry an event. */
export interface CallWriter {
  start(block: number, call: CallStart): JsonObject | undefined
  /** The next piece of a call's input. */
  addInput(block: number, text: string): JsonObject | undefined
}

/** `tool_calls`, by their index among the calls. */
export function createToolCallWriter(losses: LossList): CallWriter {
  const calls = new Map<number, { readonly index: number; readonly kind: CallStart['kind'] }>()
  return {
    start(block, call) {
      const index = calls.size
      calls.set(block, { index, kind: call.kind })
      return { tool_calls: [writeCallStart(call, { index, losses })] }
    },
    addInput(block, text) {
      const call = calls.get(block)
      if (call === undefined) return undefined
      const { index, kind } = call
      const piece = kind === 'function' ? { function: { arguments: text } } : { custom: { input: text } }
      return { tool_calls: [{ index, ...piece }] }
    },
  }
}

function writeCallStart(
  { id, name, kind, extras }: CallStart,
  { index, losses }: { readonly index: number; readonly losses: LossList },
): JsonObject {
  const written =
    kind === 'function'
      ? { index, id, type: 'function', function: { name, arguments: '' } }
      : { index, id, type: 'custom', custom: { name, input: '' } }
  return withExtras(written, extras, { losses, path: 'choices.message.tool_calls' })
}

/**
 * `function_call`, the deprecated form: one call without an ID, since its result names the function
 * (https://platform.openai.com/docs/api-reference/chat/object, seen 2026-11-22).
 */
export function createFunctionCallWriter(losses: LossList): CallWriter {
  let written: number | undefined
  return {
    start(block, { name, kind, extras }) {
      if (written !== undefined) {
        losses.lose('parallel-tool-calls', 'dropped')
        return undefined
      }
      written = block
      if (kind === 'custom') losses.lose('custom-tool', 'approximated')
      loseExtras(extras, { losses, path: 'choices.message.function_call' })
      return { function_call: { name, arguments: '' } }
    },
    addInput: (block, text) => (block === written ? { function_call: { arguments: text } } : undefined),
  }
}
