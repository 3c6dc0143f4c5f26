import type { LossList } from '../../../canonical/loss.ts'
import { isCutOff } from '../../../canonical/reply.ts'
import type { BlockStart, ChoiceEvent } from '../../../canonical/reply-event.ts'

/** The input of a call without arguments. */
export const NO_ARGUMENTS = '{}'

type InputEvent = Extract<ChoiceEvent, { readonly type: 'tool-input-delta' }>

/**
 * Holds the empty input of one choice's last call until the answer goes on or ends. Claude streams no input of a call
 * that is cut within its first argument, and states an empty object as its input. Clients would run the call without
 * arguments, so a cut call keeps an empty text, which is declared.
 */
export class EmptyInput {
  readonly #losses: LossList
  /** The block whose empty input is held. */
  #held: number | undefined
  /** The last block that got input. */
  #latest: number | undefined

  constructor(losses: LossList) {
    this.#losses = losses
  }

  /** Whether the input is held. The writer then writes nothing. */
  hold({ block, text }: InputEvent, start: BlockStart | undefined): boolean {
    const isFunction = start?.type === 'tool-call' && start.kind === 'function'
    const isHeld = isFunction && text === NO_ARGUMENTS && this.#latest !== block
    this.#latest = block
    if (isHeld) this.#held = block
    return isHeld
  }

  /** The block whose empty input is written before this event. Undefined where none is held, or the call was cut. */
  release(event: ChoiceEvent): number | undefined {
    if (this.#held === undefined) return undefined
    const isEnd = event.type === 'choice-end'
    if (!isEnd && event.type !== 'block-start' && event.type !== 'tool-input-delta') return undefined
    const held = this.#held
    this.#held = undefined
    if (!isEnd || !isCutOff(event.stopReason)) return held
    this.#losses.lose('tool-input', 'dropped')
    return undefined
  }
}
