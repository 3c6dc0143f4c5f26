import type { AssistantBlock, Citation } from '../../../canonical/content.ts'
import { completeBlock } from '../../../canonical/fold-reply.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { BlockEvent, BlockStart } from '../../../canonical/reply-event.ts'
import { addMembers } from '../../../kit/collections/add-members.ts'
import {
  type EncodedText,
  encodeLargeTexts,
  encodeText,
  isLargeText,
} from '../../../kit/json/encode-large-texts.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import type { StoredAnswerForm } from '../../answer-form.ts'
import { writeAssistant } from '../request/write-assistant.ts'
import { writeCitation } from '../values/write-citation.ts'
import {
  addToText,
  beginsNoArguments,
  cutCall,
  deltaType,
  emptyItem,
  emptyPart,
  endCall,
  endMessage,
  firstOf,
  isText,
} from './item-parts.ts'

interface OpenBlock {
  readonly start: BlockStart
  readonly id: string
  /** Undefined as long as the caller has not seen the block. */
  outputIndex: number | undefined
  text: string
  /** Whether the caller has not seen the input, which is the empty object or its beginning. */
  isInputHeld: boolean
  /** The encoded text, if the whole text arrived as one large chunk. */
  encoded: EncodedText | undefined
  signature: string | undefined
  transcript: string
  readonly citations: Citation[]
  /** The log probabilities of the text's tokens. */
  readonly logprobs: JsonValue[]
  hasPart: boolean
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

const none: readonly JsonObject[] = []

const idPrefix: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  image_generation_call: 'ig',
}

/** The common part of the IDs of an answer's items, which is unique wherever a caller can reference them. */
export function itemNameOf(replyId: string, stored: StoredAnswerForm | undefined): string {
  return stored === undefined ? replyId : stored.id.replace(/^resp_/, '')
}

/** Writes the blocks of an answer as items, one item for each block, and the events of their growth. */
export class OutputWriter {
  /** The final items, in the order in which they started. */
  readonly output: JsonObject[] = []
  readonly inspection: { hasToolCall: boolean; hasRefusal: boolean } = {
    hasToolCall: false,
    hasRefusal: false,
  }
  readonly #open = new Map<number, OpenBlock>()
  /** The block that ended last. Its item ends with the next event, which shows whether the block was cut. */
  #ended: OpenBlock | undefined
  #firstText: OpenBlock | undefined
  readonly #losses: LossList
  readonly #replyId: string
  /** Whether each item is written in several events. */
  readonly #isRepeated: boolean

  constructor(replyId: string, losses: LossList, { isRepeated = false } = {}) {
    this.#replyId = replyId
    this.#losses = losses
    this.#isRepeated = isRepeated
  }

  push(event: BlockEvent): readonly JsonObject[] {
    if (this.#ended === undefined) return this.#push(event)
    return [...this.endLast(), ...this.#push(event)]
  }

  /** Ends the item of the block that ended last, which is whole. */
  endLast(): readonly JsonObject[] {
    const ended = this.#ended
    this.#ended = undefined
    return ended === undefined ? none : this.#end(ended, 'completed')
  }

  /** Ends all items. The last one is incomplete where the answer was cut. */
  endAll(isCut: boolean): readonly JsonObject[] {
    const blocks = [...(this.#ended === undefined ? [] : [this.#ended]), ...this.#open.values()]
    this.#ended = undefined
    this.#open.clear()
    const last = blocks.length - 1
    return blocks.flatMap((block, at) => this.#end(block, isCut && at === last ? 'incomplete' : 'completed'))
  }

  /**
   * Adds the log probabilities of tokens to the open text, else to the first text where it has just ended. They follow
   * the delta with the tokens, so they get a delta of their own. Undefined where there is no such text.
   */
  addLogprobs(logprobs: readonly JsonValue[]): readonly JsonObject[] | undefined {
    const blocks = [this.#ended === this.#firstText ? this.#ended : undefined, ...this.#open.values()]
    const open = blocks.findLast((block) => block?.start.type === 'text')
    const item = open && this.#itemOf(open)
    if (open === undefined || item === undefined) return undefined
    for (const entry of logprobs) open.logprobs.push(entry)
    return [this.#locate(open, item, { type: deltaType(open.start), delta: '', logprobs })]
  }

  #push(event: BlockEvent): readonly JsonObject[] {
    if (event.type === 'block-start') return this.#start(event.block, event.start)
    const open = this.#open.get(event.block)
    if (open === undefined) return none
    switch (event.type) {
      case 'block-end':
        this.#open.delete(event.block)
        this.#ended = open
        return none
      case 'text-delta':
      case 'tool-input-delta':
        return this.#grow(open, event.text)
      case 'signature-delta':
        open.signature = (open.signature ?? '') + event.signature
        return none
      case 'audio-delta':
        open.transcript += event.transcript ?? ''
        return none
      case 'citation-delta':
        return this.#cite(open, event)
    }
  }

  #start(block: number, start: BlockStart): readonly JsonObject[] {
    if (start.type === 'tool-call') this.inspection.hasToolCall = true
    if (start.type === 'refusal') this.inspection.hasRefusal = true
    const open: OpenBlock = {
      start,
      id: `${this.#replyId}_${block}`,
      outputIndex: undefined,
      text: '',
      isInputHeld: false,
      encoded: undefined,
      signature: undefined,
      transcript: start.type === 'audio' ? (start.transcript ?? '') : '',
      citations: [],
      logprobs: [],
      hasPart: false,
    }
    this.#open.set(block, open)
    return start.type === 'audio' ? none : this.#show(open)
  }

  /** Starts an item, without its content. */
  #show(open: OpenBlock): readonly JsonObject[] {
    const item = writeAssistant(wholeBlock(open), { losses: this.#losses, side: 'reply' })
    if (item === undefined) return none
    open.outputIndex = this.output.length
    const added = this.#dress(emptyItem(item), open, 'in_progress')
    this.output.push(added)
    const event = { type: 'response.output_item.added', output_index: open.outputIndex, item: added }
    if (added['type'] !== 'message') return [event]
    if (isText(firstOf(item['content']))) this.#firstText ??= open
    open.hasPart = true
    return [event, this.#locate(open, added, { type: 'response.content_part.added', part: emptyPart(item) })]
  }

  /** Adds ID and status, where the item has none of its own. */
  #dress(item: JsonObject, open: OpenBlock, stated: ItemStatus): JsonObject {
    const prefix = idPrefix[scalarText(item['type'])]
    if (prefix === undefined || open.start.type === 'opaque') return item
    const isStated = item['type'] !== 'custom_tool_call'
    // Images arrive whole, and have no status for a cut.
    const status = open.start.type === 'image' && stated === 'incomplete' ? 'completed' : stated
    return { id: `${prefix}_${open.id}`, ...item, ...(isStated ? { status } : {}) }
  }

  /** Adds the item's position to an event. */
  #locate(open: OpenBlock, item: JsonObject, event: JsonObject): JsonObject {
    const located: Record<string, JsonValue> = {
      type: event['type'] ?? '',
      item_id: item['id'] ?? '',
      output_index: open.outputIndex ?? 0,
    }
    if (item['type'] === 'reasoning') located['summary_index'] = 0
    else if (item['type'] === 'message') located['content_index'] = 0
    addMembers(located, event)
    return located
  }

  #itemOf(open: OpenBlock): JsonObject | undefined {
    return open.outputIndex === undefined ? undefined : this.output[open.outputIndex]
  }

  #grow(open: OpenBlock, delta: string): readonly JsonObject[] {
    const isFirst = open.text === ''
    open.text += delta
    const item = this.#itemOf(open)
    if (item === undefined || delta === '') return none
    if (beginsNoArguments(open.text) && item['type'] === 'function_call') {
      open.isInputHeld = true
      return none
    }
    open.encoded = isFirst && this.#isRepeated && isLargeText(delta) ? encodeText(delta) : undefined
    const type = deltaType(open.start)
    const shown = open.encoded?.json ?? (open.isInputHeld ? open.text : delta)
    open.isInputHeld = false
    const hasLogprobs = open.start.type === 'text'
    const piece: JsonObject = hasLogprobs ? { type, delta: shown, logprobs: [] } : { type, delta: shown }
    const grown = this.#locate(open, item, piece)
    if (open.start.type !== 'thinking' || open.hasPart) return [grown]
    open.hasPart = true
    const part = { type: 'summary_text', text: '' }
    return [this.#locate(open, item, { type: 'response.reasoning_summary_part.added', part }), grown]
  }

  #cite(
    open: OpenBlock,
    event: Extract<BlockEvent, { readonly type: 'citation-delta' }>,
  ): readonly JsonObject[] {
    const annotation = writeCitation(event.citation, this.#losses)
    const item = this.#itemOf(open)
    if (annotation === undefined || item === undefined) return none
    open.citations.push(event.citation)
    const annotation_index = open.citations.length - 1
    const type = 'response.output_text.annotation.added'
    return [this.#locate(open, item, { type, annotation_index, annotation })]
  }

  #end(open: OpenBlock, status: ItemStatus): readonly JsonObject[] {
    const shown = open.start.type === 'audio' ? this.#speak(open) : none
    const { outputIndex } = open
    if (outputIndex === undefined) return none
    const written = writeAssistant(wholeBlock(open), { losses: this.#losses, side: 'reply' }) ?? {}
    const ended = status === 'incomplete' ? cutCall(written, open, this.#losses) : written
    const whole = this.#dress(addToText(ended, open.logprobs), open, status)
    const isLarge = isLargeText(open.text) || isLargeText(open.transcript)
    const item = this.#isRepeated && isLarge ? encodeLargeTexts(whole, open.encoded) : whole
    this.output[outputIndex] = item
    return [
      ...shown,
      ...this.#endParts(open, item),
      { type: 'response.output_item.done', output_index: outputIndex, item },
    ]
  }

  /** Emits a transcript, once it is complete. */
  #speak(open: OpenBlock): readonly JsonObject[] {
    const started = this.#show(open)
    const item = this.#itemOf(open)
    if (item === undefined) return none
    const type = 'response.output_text.delta'
    return [...started, this.#locate(open, item, { type, delta: open.transcript, logprobs: [] })]
  }

  #endParts(open: OpenBlock, item: JsonObject): readonly JsonObject[] {
    const position = (event: JsonObject) => this.#locate(open, item, event)
    switch (item['type']) {
      case 'message':
        return endMessage(item).map(position)
      case 'function_call':
      case 'custom_tool_call':
        return endCall(open, item).map(position)
      case 'reasoning': {
        if (!open.hasPart) return none
        const { text = '' } = firstOf(item['summary'])
        const part = { type: 'summary_text', text }
        return [
          position({ type: 'response.reasoning_summary_text.done', text }),
          position({ type: 'response.reasoning_summary_part.done', part }),
        ]
      }
      default:
        return none
    }
  }
}

/** Builds the block from all that is known so far. */
function wholeBlock({ start, text, signature, citations, transcript }: OpenBlock): AssistantBlock {
  return completeBlock({ start, text, signature, citations, audio: { transcript } })
}
