import type { ToolCallBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { BlockStart, ChoiceEvent } from '../../../canonical/reply-event.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseExtras } from '../../fields/extras.ts'
import { LastCall } from '../../tools/last-call.ts'
import { writeWholeInput } from '../../tools/write-tool-input.ts'

/** The part that one event adds to the answer. A whole answer is the sum of its pieces. */
export interface AnswerPiece {
  readonly text?: string
  readonly thinking?: string
  /** A call with its complete input, since the format cannot send a call in pieces. */
  readonly call?: JsonObject
  readonly logprobs?: readonly JsonValue[]
}

type ToolCallStart = Extract<BlockStart, { readonly type: 'tool-call' }>

interface OpenCall {
  readonly start: ToolCallStart
  input: string
}

/** The order in which a reader finds the fields of a whole answer. A block type without a field has no rank. */
const ranks: Readonly<Partial<Record<BlockStart['type'], number>>> = {
  thinking: 0,
  text: 1,
  refusal: 1,
  audio: 1,
  'tool-call': 2,
}

export interface WriterForm {
  /**
   * Whether the order of the blocks follows from time, as in a stream. In a whole message it follows from the fields.
   */
  readonly isStream: boolean
  /** Whether the operation has a field for calls. */
  readonly hasCalls: boolean
}

/** Writes the events of the only choice that an answer of the format has. */
export class AnswerWriter {
  stopReason: StopReason | undefined
  readonly #losses: LossList
  readonly #form: WriterForm
  readonly #kinds: BlockStart['type'][] = []
  readonly #calls = new Map<number, OpenCall>()
  readonly #lastCall: LastCall
  #writtenCalls = 0
  #rank = -1

  constructor(losses: LossList, form: WriterForm) {
    this.#losses = losses
    this.#form = form
    this.#lastCall = new LastCall(losses)
  }

  /** Returns undefined where the event adds nothing that the format can carry. */
  push(event: ChoiceEvent): AnswerPiece | undefined {
    if (event.choice !== 0) {
      this.#losses.lose('choices', 'dropped')
      return undefined
    }
    let sum: AnswerPiece | undefined
    for (const each of this.#lastCall.push(event)) {
      const piece = this.#write(each)
      // At most one of these events completes a call.
      sum = sum === undefined ? piece : { ...sum, ...piece }
    }
    return sum
  }

  #write(event: ChoiceEvent): AnswerPiece | undefined {
    switch (event.type) {
      case 'block-start':
        return this.#start(event.block, event.start)
      case 'text-delta':
        return this.#writeText(event.block, event.text)
      case 'tool-input-delta':
        this.#addInput(event.block, event.text)
        return undefined
      case 'audio-delta':
        return textPiece(event.transcript)
      case 'block-end':
        return this.#endCall(event.block)
      case 'logprobs-delta': {
        const { content, refusal } = event.logprobs
        if (refusal !== undefined) this.#losses.lose('logprobs', 'dropped')
        return content === undefined ? undefined : { logprobs: content }
      }
      case 'citation-delta':
        this.#losses.lose('citations', 'dropped')
        return undefined
      case 'signature-delta':
        this.#losses.lose('thinking-signature', 'dropped')
        return undefined
      case 'choice-end':
        this.#end(event)
        return undefined
    }
  }

  #start(block: number, start: BlockStart): AnswerPiece | undefined {
    const losses = this.#losses
    this.#kinds[block] = start.type
    this.#recordOrder(start.type)
    switch (start.type) {
      case 'tool-call':
        if (this.#form.hasCalls) this.#calls.set(block, { start, input: '' })
        else losses.lose('foreign-block', 'dropped', 'tool-call')
        return undefined
      case 'opaque': {
        const { type } = start.value
        losses.lose('foreign-block', 'dropped', typeof type === 'string' ? type : 'unknown')
        return undefined
      }
      case 'redacted-thinking':
      case 'image':
        losses.lose(start.type, 'dropped')
        return undefined
      case 'audio':
        losses.lose('audio', 'approximated')
        return textPiece(start.transcript)
      case 'refusal':
      case 'text':
      case 'thinking':
        if (start.type === 'refusal') losses.lose('refusal', 'approximated')
        loseExtras(start.extras, { losses, path: 'message' })
        return undefined
    }
  }

  /** Declares where blocks are merged or reordered, since text, reasoning and calls have only one field each. */
  #recordOrder(kind: BlockStart['type']): void {
    const rank = ranks[kind]
    if (rank === undefined) return
    const isJoined = rank === this.#rank && kind !== 'tool-call'
    if (isJoined || (!this.#form.isStream && rank < this.#rank))
      this.#losses.lose('block-order', 'approximated')
    this.#rank = this.#form.isStream ? rank : Math.max(this.#rank, rank)
  }

  #writeText(block: number, text: string): AnswerPiece | undefined {
    if (text === '') return undefined
    return this.#kinds[block] === 'thinking' ? { thinking: text } : { text }
  }

  #addInput(block: number, text: string): void {
    const call = this.#calls.get(block)
    if (call !== undefined) call.input += text
  }

  #endCall(block: number): AnswerPiece | undefined {
    const open = this.#calls.get(block)
    if (open === undefined) return undefined
    this.#calls.delete(block)
    const call: ToolCallBlock = { ...open.start, input: open.input }
    const input = writeWholeInput(call, this.#losses)
    if (input === undefined) return undefined
    loseExtras(call.extras, { losses: this.#losses, path: 'message.tool_calls' })
    const index = this.#writtenCalls
    this.#writtenCalls += 1
    const called = { index, name: call.name, arguments: input }
    return { call: omitUndefined({ id: call.id === '' ? undefined : call.id, function: called }) }
  }

  #end({ stopReason, stopSequence, extras }: Extract<ChoiceEvent, { readonly type: 'choice-end' }>): void {
    this.stopReason = stopReason
    if (stopSequence !== undefined) this.#losses.lose('stop-reason', 'approximated')
    loseExtras(extras, { losses: this.#losses, path: '' })
  }
}

function textPiece(text: string | undefined): AnswerPiece | undefined {
  return text === undefined || text === '' ? undefined : { text }
}
