import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import type { AnswerContent } from '../../answer-content.ts'
import { matchOutput } from '../request/match-output.ts'
import { readAssistantItem } from '../request/read-item.ts'
import { readCitation } from '../values/read-citation.ts'
import { BlockEmitter, type EmittedBlock, findStartedBlocks } from './block-emitter.ts'
import { readLogprobs } from './read-logprobs.ts'
import { contentOf, identitiesOf, kindOf, type StreamItem, StreamItems, saidBy } from './stream-items.ts'

const FIRST_PART = 0

const messageKind: readonly string[] = ['message']

const reasoningKind: readonly string[] = ['reasoning']

const callKinds: readonly string[] = ['function_call', 'custom_tool_call']

/** The maximum number of orphans that are compared with each item that ends. */
const MAX_ORPHANS = 8

/** The fields of an item that deltas fill, in their empty form. */
const emptyFields: Readonly<Record<string, JsonObject>> = {
  function_call: { arguments: '' },
  custom_tool_call: { input: '' },
  reasoning: { summary: [], content: [] },
}

interface SoughtItem {
  readonly index: number
  readonly kinds: readonly string[]
}

interface Growth {
  readonly index: number
  readonly delta: string
}

/**
 * Reads the items of one streamed answer into blocks. A message part, a reasoning item and a call are one block each.
 */
export class BlockReader {
  /** The log probabilities of all items that have ended. */
  readonly logprobs: JsonValue[] = []
  readonly #emitter = new BlockEmitter()
  readonly #items = new StreamItems()
  /** Items that were started by deltas without an item ID. */
  #orphans: StreamItem[] = []

  get hasBlocks(): boolean {
    return this.#emitter.blockCount > 0
  }

  get inspection(): AnswerContent {
    return this.#emitter.inspection
  }

  read(event: JsonObject): readonly ReplyEvent[] {
    this.#readEvent(event)
    return this.#emitter.drain()
  }

  /** Ends open items, and adds items of the whole answer that were missing in the stream. */
  *finish(output: readonly JsonValue[]): Steps<readonly ReplyEvent[]> {
    yield* this.#finishItems(output.filter(isJsonObject))
    return this.#emitter.drain()
  }

  #readEvent(event: JsonObject): void {
    const index = typeof event['output_index'] === 'number' ? event['output_index'] : 0
    const { item, delta } = event
    switch (event['type']) {
      case 'response.output_item.added':
        // A relay may send an event twice.
        if (isJsonObject(item) && this.#items.find(item, index) === undefined) this.#startItem(index, item)
        return
      case 'response.output_item.done':
        if (isJsonObject(item)) this.#endItem(index, item)
        return
      case 'response.content_part.added':
        this.#startPart(index, event)
        return
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (typeof delta === 'string') this.#growPart(event, { index, delta })
        return
      case 'response.output_text.annotation.added':
        this.#annotate(index, event)
        return
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (typeof delta === 'string') this.#growCall(event, { index, delta })
        return
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        if (typeof delta === 'string') this.#growReasoning(event, { index, delta })
        return
      default:
    }
  }

  #startItem(index: number, item: JsonObject): StreamItem {
    const opened = this.#items.add(item, index)
    const { type, call_id: callId, name } = item
    const isCall = type === 'function_call' || type === 'custom_tool_call'
    if (type !== 'reasoning' && !(isCall && typeof callId === 'string' && typeof name === 'string'))
      return opened
    const { encrypted_content: _signature, ...bare } = item
    const empty = emptyFields[scalarText(type)]
    const [block] = readAssistantItem({ ...bare, ...empty }, 'output')
    if (block !== undefined) opened.blocks.set(FIRST_PART, this.#emitter.start(block))
    return opened
  }

  /** Returns the open item that a delta belongs to. */
  #openItemOf(event: JsonObject, { index, kinds }: SoughtItem): StreamItem | undefined {
    const found = this.#items.findOfDelta(event, index, kinds)
    return found?.content === undefined ? found : undefined
  }

  /** Returns the block of a message part. If the part's start event is missing, an empty part is started. */
  #openPart(
    { item, blocks }: StreamItem,
    { part, value }: { readonly part: number; readonly value: JsonObject },
  ): EmittedBlock | undefined {
    const known = blocks.get(part)
    if (known !== undefined) return known
    const empty = value['type'] === 'refusal' ? { refusal: '' } : { text: '', annotations: [] }
    const [block] = readAssistantItem({ ...item, content: [{ ...value, ...empty }] }, 'output')
    if (block?.type !== 'text' && block?.type !== 'refusal') return undefined
    const started = this.#emitter.start(block)
    blocks.set(part, started)
    return started
  }

  #startPart(index: number, event: JsonObject): void {
    const opened = this.#openItemOf(event, { index, kinds: messageKind })
    const { part: value } = event
    if (opened !== undefined && isJsonObject(value)) this.#openPart(opened, { part: partOf(event), value })
  }

  #growPart(event: JsonObject, { index, delta }: Growth): void {
    const type = event['type'] === 'response.refusal.delta' ? 'refusal' : 'output_text'
    const found = this.#items.findOfDelta(event, index, messageKind)
    if (found?.content !== undefined) return
    const opened =
      found ?? this.#startNameless(index, nameless(event, { type: 'message', role: 'assistant' }))
    const block = this.#openPart(opened, { part: partOf(event), value: { type } })
    if (block !== undefined) this.#emitter.emitText(block, delta)
  }

  #startNameless(index: number, item: JsonObject): StreamItem {
    const started = this.#startItem(index, item)
    if (identitiesOf(item).length === 0) this.#orphans.push(started)
    return started
  }

  #annotate(index: number, event: JsonObject): void {
    const opened = this.#openItemOf(event, { index, kinds: messageKind })
    if (opened === undefined) return
    const block = this.#openPart(opened, { part: partOf(event), value: { type: 'output_text' } })
    if (block?.type !== 'text' || !isJsonObject(event['annotation'])) return
    this.#emitter.cite(block, readCitation(event['annotation']))
  }

  #growCall(event: JsonObject, { index, delta }: Growth): void {
    const block = this.#openItemOf(event, { index, kinds: callKinds })?.blocks.get(FIRST_PART)
    if (block?.type === 'tool-call') this.#emitter.emitText(block, delta)
  }

  /** Joins the parts of reasoning into one text, with a blank line between them. */
  #growReasoning(event: JsonObject, { index, delta }: Growth): void {
    const found = this.#items.findOfDelta(event, index, reasoningKind)
    if (found?.content !== undefined) return
    const opened = found ?? this.#startNameless(index, nameless(event, { type: 'reasoning' }))
    const block = opened.blocks.get(FIRST_PART)
    if (block?.type !== 'thinking') return
    const part = `${scalarText(event['type'])} ${scalarText(event['summary_index'] ?? event['content_index'])}`
    const isNext = opened.lastPart !== undefined && opened.lastPart !== part
    opened.lastPart = part
    this.#emitter.emitText(block, isNext ? `\n\n${delta}` : delta)
  }

  #endItem(index: number, item: JsonObject): void {
    const found = this.#items.findOfEnd(item, index)
    if (found?.content !== undefined) return
    if (found !== undefined) this.#items.nameAlso(found, item)
    this.#complete(found ?? this.#items.add(nameOf(item), index), item, contentOf(item))
  }

  /**
   * Completes an item whose end event contains the whole item, and emits the text that its deltas left out. Parts are
   * matched by order, since some servers number them differently in the stream (vLLM counts the reasoning before a
   * message, recorded 2026).
   */
  #complete(opened: StreamItem, item: JsonObject, content: string): void {
    const whole = readAssistantItem(item, 'output')
    const begun = [...opened.blocks.values(), ...this.#adopt(opened, item)]
    const started = this.#withoutSpare(begun, whole.length)
    opened.blocks.clear()
    opened.content = content
    for (const entry of readLogprobs(item)) this.logprobs.push(entry)
    let next = 0
    for (const [at, block] of whole.entries()) {
      const known = findStartedBlocks(block, { started, next, following: whole[at + 1] })
      next += known.length
      this.#emitter.complete(block, known)
    }
    for (const left of started.slice(next)) this.#emitter.end(left)
  }

  /**
   * Returns the blocks of deltas without an item ID whose text continues this item's text. They then belong to this
   * item. An item that is already complete gets no more blocks.
   */
  #adopt(opened: StreamItem, item: JsonObject): readonly EmittedBlock[] {
    const text = saidBy(item)
    let length = saidOf(opened).length
    const adopted: EmittedBlock[] = []
    for (const orphan of this.#orphans.slice(-MAX_ORPHANS)) {
      const said = saidOf(orphan)
      const isIts = orphan !== opened && orphan.content === undefined && kindOf(orphan.item) === kindOf(item)
      if (!isIts || said === '' || !text.startsWith(said, length)) continue
      length += said.length
      orphan.content = contentOf(item)
      adopted.push(...orphan.blocks.values())
      orphan.blocks.clear()
    }
    if (adopted.length > 0) this.#orphans = this.#orphans.filter(({ content }) => content === undefined)
    return adopted
  }

  /**
   * Ends empty parts if more parts started than the whole item has, since a delta may name a part that was never added.
   */
  #withoutSpare(started: readonly EmittedBlock[], count: number): readonly EmittedBlock[] {
    let spare = started.length - count
    return started.filter((block) => {
      const isSpare = spare > 0 && block.said === '' && block.citations === 0
      if (!isSpare) return true
      spare -= 1
      this.#emitter.end(block)
      return false
    })
  }

  /** Reads the whole answer: emits what was missing in the stream, and ends open items. */
  *#finishItems(output: readonly JsonObject[]): Steps<void> {
    const streamed = [...this.#items.all]
    const matches = matchOutput(streamed, output)
    for (const [index, item] of output.entries()) {
      const opened = matches.get(item) ?? this.#items.add(nameOf(item), -1)
      // No later event is compared with this item's content.
      if (opened.content === undefined) this.#complete(opened, item, '')
      if (endsStep(index)) yield
    }
    for (const { blocks, content } of streamed) {
      if (content === undefined) for (const block of blocks.values()) this.#emitter.end(block)
    }
  }
}

function partOf(event: JsonObject): number {
  return typeof event['content_index'] === 'number' ? event['content_index'] : FIRST_PART
}

/** Creates the item of a delta whose start event is missing. */
function nameless({ item_id: id }: JsonObject, item: JsonObject): JsonObject {
  return typeof id === 'string' ? { ...item, id } : item
}

/** The fields that identify a whole item, without its text. */
function nameOf({ type, id, call_id, name }: JsonObject): JsonObject {
  return omitUndefined({ type, id, call_id, name })
}

function saidOf({ blocks }: StreamItem): string {
  return [...blocks.values()].map((block) => block.said).join('')
}
