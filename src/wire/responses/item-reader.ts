import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'
import { BlockTeller, type ToldBlock } from './block-teller.ts'
import { readAssistantItem } from './read-item.ts'
import { readCitation } from './read-part.ts'
import type { AnswerSight } from './stop-reason.ts'

/** Reads the items of one streamed answer into blocks: a part of a message, reasoning or a call is one. */
export interface ItemReader {
  take(event: JsonObject): readonly ReplyEvent[]
  /** Ends what is open, and tells items of the whole answer that the stream left out. */
  finish(output: readonly JsonValue[]): readonly ReplyEvent[]
  readonly hasBlocks: boolean
  readonly sight: AnswerSight
}

/** An item under way. The blocks of a message are kept by the number of their part; others have the block 0 alone. */
interface OpenItem {
  readonly item: JsonObject
  readonly blocks: Map<number, ToldBlock>
  /** Of reasoning, the part that was told last. */
  lastPart: string | undefined
}

interface ReaderState {
  readonly teller: BlockTeller
  readonly open: Map<number, OpenItem>
  readonly done: Set<number>
}

const FIRST = 0

export function createItemReader(): ItemReader {
  const state: ReaderState = { teller: new BlockTeller(), open: new Map(), done: new Set() }
  const { teller } = state
  return {
    sight: teller.sight,
    get hasBlocks() {
      return teller.blockCount > 0
    },
    take(event) {
      takeEvent(state, event)
      return teller.takeEvents()
    },
    finish(output) {
      for (const [index, item] of output.entries()) {
        if (isJsonObject(item) && !state.done.has(index)) endItem(state, index, item)
      }
      for (const { blocks } of state.open.values()) for (const block of blocks.values()) teller.end(block)
      state.open.clear()
      return teller.takeEvents()
    },
  }
}

function takeEvent(state: ReaderState, event: JsonObject): void {
  const index = typeof event['output_index'] === 'number' ? event['output_index'] : 0
  const { item, delta } = event
  switch (event['type']) {
    case 'response.output_item.added':
      if (isJsonObject(item)) startItem(state, index, item)
      return
    case 'response.output_item.done':
      if (isJsonObject(item) && !state.done.has(index)) endItem(state, index, item)
      return
    case 'response.content_part.added':
      startPart(state, index, event)
      return
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      if (typeof delta === 'string') growPart(state, event, { index, delta })
      return
    case 'response.output_text.annotation.added':
      annotate(state, index, event)
      return
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      if (typeof delta === 'string') growCall(state, index, delta)
      return
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      if (typeof delta === 'string') growReasoning(state, event, { index, delta })
      return
    default:
  }
}

/** What of an item its deltas bring. */
const emptyFields: Readonly<Record<string, JsonObject>> = {
  function_call: { arguments: '' },
  custom_tool_call: { input: '' },
  reasoning: { summary: [], content: [] },
}

function startItem(state: ReaderState, index: number, item: JsonObject): void {
  // A relay that repeats itself does no harm.
  if (state.open.has(index) || state.done.has(index)) return
  const opened: OpenItem = { item, blocks: new Map(), lastPart: undefined }
  state.open.set(index, opened)
  const { type, call_id: callId, name } = item
  const isCall = type === 'function_call' || type === 'custom_tool_call'
  if (type !== 'reasoning' && !(isCall && typeof callId === 'string' && typeof name === 'string')) return
  const { encrypted_content: _proof, ...bare } = item
  const empty = emptyFields[String(type)]
  const [block] = readAssistantItem({ ...bare, ...empty }, 'output')
  if (block !== undefined) opened.blocks.set(FIRST, state.teller.start(block))
}

/** A part of the message at this place; where no start was told, one that is empty. */
function openPart(
  state: ReaderState,
  place: { readonly index: number; readonly part: number },
  value: JsonObject,
): ToldBlock | undefined {
  const opened = state.open.get(place.index)
  if (opened === undefined || opened.item['type'] !== 'message') return undefined
  const known = opened.blocks.get(place.part)
  if (known !== undefined) return known
  const empty = value['type'] === 'refusal' ? { refusal: '' } : { text: '', annotations: [] }
  const [block] = readAssistantItem({ ...opened.item, content: [{ ...value, ...empty }] }, 'output')
  if (block?.type !== 'text' && block?.type !== 'refusal') return undefined
  const started = state.teller.start(block)
  opened.blocks.set(place.part, started)
  return started
}

function partOf(event: JsonObject): number {
  return typeof event['content_index'] === 'number' ? event['content_index'] : FIRST
}

function startPart(state: ReaderState, index: number, event: JsonObject): void {
  const { part } = event
  if (isJsonObject(part)) openPart(state, { index, part: partOf(event) }, part)
}

interface Growth {
  readonly index: number
  readonly delta: string
}

function growPart(state: ReaderState, event: JsonObject, { index, delta }: Growth): void {
  const type = event['type'] === 'response.refusal.delta' ? 'refusal' : 'output_text'
  if (!state.open.has(index)) startItem(state, index, { type: 'message', role: 'assistant' })
  const block = openPart(state, { index, part: partOf(event) }, { type })
  if (block !== undefined) state.teller.say(block, delta)
}

function annotate(state: ReaderState, index: number, event: JsonObject): void {
  const block = openPart(state, { index, part: partOf(event) }, { type: 'output_text' })
  if (block?.type !== 'text' || !isJsonObject(event['annotation'])) return
  state.teller.cite(block, readCitation(event['annotation']))
}

function growCall(state: ReaderState, index: number, delta: string): void {
  const block = state.open.get(index)?.blocks.get(FIRST)
  if (block?.type === 'tool-call') state.teller.say(block, delta)
}

/** Parts of reasoning are one text, apart by a blank line. */
function growReasoning(state: ReaderState, event: JsonObject, { index, delta }: Growth): void {
  if (!state.open.has(index)) startItem(state, index, { type: 'reasoning' })
  const opened = state.open.get(index)
  const block = opened?.blocks.get(FIRST)
  if (opened === undefined || block?.type !== 'thinking') return
  const part = `${String(event['type'])} ${String(event['summary_index'] ?? event['content_index'])}`
  const isNext = opened.lastPart !== undefined && opened.lastPart !== part
  opened.lastPart = part
  state.teller.say(block, isNext ? `\n\n${delta}` : delta)
}

/**
 * An item is told whole at its end: what its deltas left out is told now. Parts are matched in their order, since some
 * servers number them otherwise in the stream (vLLM counts the reasoning before a message, recorded 2026).
 */
function endItem(state: ReaderState, index: number, item: JsonObject): void {
  const opened = state.open.get(index)
  const started = [...(opened?.blocks.values() ?? [])]
  state.open.delete(index)
  state.done.add(index)
  for (const block of readAssistantItem(item, `output[${index}]`)) {
    const known = started[0]?.type === block.type ? started.shift() : undefined
    state.teller.complete(known ?? state.teller.start(block), block)
  }
  for (const left of started) state.teller.end(left)
}
