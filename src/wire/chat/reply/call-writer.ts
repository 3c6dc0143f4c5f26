import type { LossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { withExtras } from '../values/extras.ts'

export type CallStart = Extract<BlockStart, { readonly type: 'tool-call' }>

/** Writes the calls of one choice. A method returns undefined where the form cannot carry the event. */
export interface CallWriter {
  start(block: number, call: CallStart): JsonObject | undefined
  /** Writes the next piece of a call's input. */
  addInput(block: number, text: string): JsonObject | undefined
}

/** Writes `tool_calls`. The index of a call is its position among the calls. */
export class ToolCallWriter implements CallWriter {
  readonly #losses: LossList
  readonly #calls = new Map<number, { readonly index: number; readonly kind: CallStart['kind'] }>()

  constructor(losses: LossList) {
    this.#losses = losses
  }

  start(block: number, call: CallStart): JsonObject {
    const index = this.#calls.size
    this.#calls.set(block, { index, kind: call.kind })
    return { tool_calls: [writeCallStart(call, { index, losses: this.#losses })] }
  }

  addInput(block: number, text: string): JsonObject | undefined {
    const call = this.#calls.get(block)
    if (call === undefined) return undefined
    const { index, kind } = call
    const piece = kind === 'function' ? { function: { arguments: text } } : { custom: { input: text } }
    return { tool_calls: [{ index, ...piece }] }
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
 * Writes `function_call`, the deprecated form. It holds one call without an ID, since its result names the function
 * (https://platform.openai.com/docs/api-reference/chat/object, seen 2026-11-22).
 */
export class FunctionCallWriter implements CallWriter {
  readonly #losses: LossList
  /** The block of the only call; undefined until a call starts. */
  #written: number | undefined

  constructor(losses: LossList) {
    this.#losses = losses
  }

  start(block: number, { name, kind, extras }: CallStart): JsonObject | undefined {
    const losses = this.#losses
    if (this.#written !== undefined) {
      losses.lose('parallel-tool-calls', 'dropped')
      return undefined
    }
    this.#written = block
    if (kind === 'custom') losses.lose('custom-tool', 'approximated')
    loseExtras(extras, { losses, path: 'choices.message.function_call' })
    return { function_call: { name, arguments: '' } }
  }

  addInput(block: number, text: string): JsonObject | undefined {
    return block === this.#written ? { function_call: { arguments: text } } : undefined
  }
}
