import type { LossList } from '../../canonical/loss.ts'
import { isCutOff } from '../../canonical/reply.ts'
import type { ChoiceEvent } from '../../canonical/reply-event.ts'

interface HeldCall {
  readonly block: number
  readonly events: ChoiceEvent[]
  /** The input so far, without white space. */
  input: string
}

/** The beginnings of an input without any argument. */
const noArguments: ReadonlySet<string> = new Set(['', '{', '{}'])

/**
 * Holds back the last call of one choice until its first argument begins or the choice ends, for a format whose clients
 * run each call that they get. A call without input is a call without arguments, unless the answer was cut off just
 * after its name, where some formats give the empty object as its input. Such a call is left out, which is declared.
 */
export class LastCall {
  readonly #losses: LossList
  #held: HeldCall | undefined

  constructor(losses: LossList) {
    this.#losses = losses
  }

  /** The events that the writer gets now, in their order. */
  push(event: ChoiceEvent): readonly ChoiceEvent[] {
    if (event.type === 'block-start') return this.#start(event)
    const held = this.#held
    if (held === undefined) return [event]
    if (event.type === 'choice-end') return this.#end(event)
    if (!('block' in event) || event.block !== held.block) return [event]
    held.events.push(event)
    if (event.type !== 'tool-input-delta') return []
    held.input += event.text.replace(/\s+/g, '')
    return noArguments.has(held.input) ? [] : this.#release()
  }

  #start(event: Extract<ChoiceEvent, { readonly type: 'block-start' }>): readonly ChoiceEvent[] {
    const before = this.#release()
    const { type } = event.start
    if (type !== 'tool-call' || event.start.kind !== 'function') return [...before, event]
    this.#held = { block: event.block, events: [event], input: '' }
    return before
  }

  #end(event: Extract<ChoiceEvent, { readonly type: 'choice-end' }>): readonly ChoiceEvent[] {
    const before = this.#release()
    if (!isCutOff(event.stopReason)) return [...before, event]
    this.#losses.lose('tool-input', 'dropped')
    return [event]
  }

  #release(): readonly ChoiceEvent[] {
    const events = this.#held?.events ?? []
    this.#held = undefined
    return events
  }
}
