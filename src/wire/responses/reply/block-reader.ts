import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { matchOutput } from '../request/match-output.ts'
import { readCitation } from '../request/read-content.ts'
import { readAssistantItem } from '../request/read-item.ts'
import type { AnswerSight } from '../values/stop-reason.ts'
import { BlockEmitter, beginningsOf, type EmittedBlock } from './block-emitter.ts'
import { readLogprobs } from './read-logprobs.ts'
import { contentOf, identitiesOf, kindOf, type StreamItem, StreamItems, saidBy } from './stream-items.ts'

/** Reads the items of one streamed answer into blocks: a part of a message, reasoning or a call is one. */
export interface ItemReader {
  take(event: JsonObject): readonly ReplyEvent[]
  /** Ends what is open, and tells items of the whole answer that the stream left out. */
  finish(output: readonly JsonValue[]): readonly ReplyEvent[]
  readonly hasBlocks: boolean
  readonly inspection: AnswerSight
  /** The likelihoods of the tokens of all items that ended. */
  readonly logprobs: readonly JsonValue[]
}

interface ReaderState {
  readonly teller: BlockEmitter
  readonly items: StreamItems
  readonly logprobs: JsonValue[]
  /** Items of deltas that named none. */
  orphans: StreamItem[]
}

const FIRST = 0
const messageKind: readonly string[] = ['message']
const reasoningKind: readonly string[] = ['reasoning']
const callKinds: readonly string[] = ['function_call', 'custom_tool_call']

export function createItemReader(): ItemReader {
  const state: ReaderState = {
    teller: new BlockEmitter(),
    items: new StreamItems(),
    logprobs: [],
    orphans: [],
  }
  const { teller } = state
  return {
    inspection: teller.inspection,
    logprobs: state.logprobs,
    get hasBlocks() {
      return teller.blockCount > 0
    },
    take(event) {
      takeEvent(state, event)
      return teller.takeEvents()
    },
    finish(output) {
      finishItems(state, output.filter(isJsonObject))
      return teller.takeEvents()
    },
  }
}

function takeEvent(state: ReaderState, event: JsonObject): void {
  const index = typeof event['output_index'] === 'number' ? event['output_index'] : 0
  const { item, delta } = event
  switch (event['type']) {
    case 'response.output_item.added':
      // A relay that repeats itself does no harm.
      if (isJsonObject(item) && state.items.find(item, index) === undefined) startItem(state, index, item)
      return
    case 'response.output_item.done':
      if (isJsonObject(item)) endItem(state, index, item)
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
      if (typeof delta === 'string') growCall(state, event, { index, delta })
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

function startItem(state: ReaderState, index: number, item: JsonObject): StreamItem {
  const opened = state.items.add(item, index)
  const { type, call_id: callId, name } = item
  const isCall = type === 'function_call' || type === 'custom_tool_call'
  if (type !== 'reasoning' && !(isCall && typeof callId === 'string' && typeof name === 'string'))
    return opened
  const { encrypted_content: _proof, ...bare } = item
  const empty = emptyFields[scalarText(type)]
  const [block] = readAssistantItem({ ...bare, ...empty }, 'output')
  if (block !== undefined) opened.blocks.set(FIRST, state.teller.start(block))
  return opened
}

/** The item that a delta belongs to, as far as it is open. */
function openItemOf(
  state: ReaderState,
  event: JsonObject,
  { index, kinds }: SoughtItem,
): StreamItem | undefined {
  const found = state.items.findOfDelta(event, index, kinds)
  return found?.content === undefined ? found : undefined
}

interface SoughtItem {
  readonly index: number
  readonly kinds: readonly string[]
}

/** A part of a message; where no start was told, one that is empty. */
function openPart(
  state: ReaderState,
  { item, blocks }: StreamItem,
  { part, value }: { readonly part: number; readonly value: JsonObject },
): EmittedBlock | undefined {
  const known = blocks.get(part)
  if (known !== undefined) return known
  const empty = value['type'] === 'refusal' ? { refusal: '' } : { text: '', annotations: [] }
  const [block] = readAssistantItem({ ...item, content: [{ ...value, ...empty }] }, 'output')
  if (block?.type !== 'text' && block?.type !== 'refusal') return undefined
  const started = state.teller.start(block)
  blocks.set(part, started)
  return started
}

function partOf(event: JsonObject): number {
  return typeof event['content_index'] === 'number' ? event['content_index'] : FIRST
}

function startPart(state: ReaderState, index: number, event: JsonObject): void {
  const opened = openItemOf(state, event, { index, kinds: messageKind })
  const { part: value } = event
  if (opened !== undefined && isJsonObject(value)) openPart(state, opened, { part: partOf(event), value })
}

interface Growth {
  readonly index: number
  readonly delta: string
}

function growPart(state: ReaderState, event: JsonObject, { index, delta }: Growth): void {
  const type = event['type'] === 'response.refusal.delta' ? 'refusal' : 'output_text'
  const found = state.items.findOfDelta(event, index, messageKind)
  if (found?.content !== undefined) return
  const opened = found ?? startNameless(state, index, nameless(event, { type: 'message', role: 'assistant' }))
  const block = openPart(state, opened, { part: partOf(event), value: { type } })
  if (block !== undefined) state.teller.say(block, delta)
}

/** An item whose start was not told, with what a delta says of it. */
function nameless({ item_id: id }: JsonObject, item: JsonObject): JsonObject {
  return typeof id === 'string' ? { ...item, id } : item
}

function startNameless(state: ReaderState, index: number, item: JsonObject): StreamItem {
  const started = startItem(state, index, item)
  if (identitiesOf(item).length === 0) state.orphans.push(started)
  return started
}

function annotate(state: ReaderState, index: number, event: JsonObject): void {
  const opened = openItemOf(state, event, { index, kinds: messageKind })
  if (opened === undefined) return
  const block = openPart(state, opened, { part: partOf(event), value: { type: 'output_text' } })
  if (block?.type !== 'text' || !isJsonObject(event['annotation'])) return
  state.teller.cite(block, readCitation(event['annotation']))
}

function growCall(state: ReaderState, event: JsonObject, { index, delta }: Growth): void {
  const block = openItemOf(state, event, { index, kinds: callKinds })?.blocks.get(FIRST)
  if (block?.type === 'tool-call') state.teller.say(block, delta)
}

/** Parts of reasoning are one text, apart by a blank line. */
function growReasoning(state: ReaderState, event: JsonObject, { index, delta }: Growth): void {
  const found = state.items.findOfDelta(event, index, reasoningKind)
  if (found?.content !== undefined) return
  const opened = found ?? startNameless(state, index, nameless(event, { type: 'reasoning' }))
  const block = opened.blocks.get(FIRST)
  if (block?.type !== 'thinking') return
  const part = `${scalarText(event['type'])} ${scalarText(event['summary_index'] ?? event['content_index'])}`
  const isNext = opened.lastPart !== undefined && opened.lastPart !== part
  opened.lastPart = part
  state.teller.say(block, isNext ? `\n\n${delta}` : delta)
}

function endItem(state: ReaderState, index: number, item: JsonObject): void {
  const found = state.items.findOfEnd(item, index)
  if (found?.content !== undefined) return
  if (found !== undefined) state.items.nameAlso(found, item)
  complete(state, found ?? state.items.add(nameOf(item), index), item)
}

/** Enough of a whole item to know it again, without its words. */
function nameOf({ type, id, call_id, name }: JsonObject): JsonObject {
  return omitUndefined({ type, id, call_id, name })
}

/**
 * An item is told whole at its end: what its deltas left out is told now. Parts are matched in their order, since some
 * servers number them otherwise in the stream (vLLM counts the reasoning before a message, recorded 2026).
 */
function complete(state: ReaderState, opened: StreamItem, item: JsonObject): void {
  const whole = readAssistantItem(item, 'output')
  const begun = [...opened.blocks.values(), ...adopt(state, opened, item)]
  const started = withoutSpare(state, begun, whole.length)
  opened.blocks.clear()
  opened.content = contentOf(item)
  for (const entry of readLogprobs(item)) state.logprobs.push(entry)
  let next = 0
  for (const [at, block] of whole.entries()) {
    const known = beginningsOf(block, { started, next, following: whole[at + 1] })
    next += known.length
    state.teller.complete(block, known)
  }
  for (const left of started.slice(next)) state.teller.end(left)
}

/** So many are looked at for each item that ends. */
const MAX_ORPHANS = 8

/**
 * The blocks of deltas that named no item, where this item goes on with their words: they were its own. An item that
 * said all of itself takes none.
 */
function adopt(state: ReaderState, opened: StreamItem, item: JsonObject): readonly EmittedBlock[] {
  const text = saidBy(item)
  let length = saidOf(opened).length
  const adopted: EmittedBlock[] = []
  for (const orphan of state.orphans.slice(-MAX_ORPHANS)) {
    const said = saidOf(orphan)
    const isIts = orphan !== opened && orphan.content === undefined && kindOf(orphan.item) === kindOf(item)
    if (!isIts || said === '' || !text.startsWith(said, length)) continue
    length += said.length
    orphan.content = contentOf(item)
    adopted.push(...orphan.blocks.values())
    orphan.blocks.clear()
  }
  if (adopted.length > 0) state.orphans = state.orphans.filter(({ content }) => content === undefined)
  return adopted
}

function saidOf({ blocks }: StreamItem): string {
  return [...blocks.values()].map((block) => block.said).join('')
}

/** Where more parts began than there are, those that said nothing end: a delta may name a part that was never added. */
function withoutSpare(
  state: ReaderState,
  started: readonly EmittedBlock[],
  count: number,
): readonly EmittedBlock[] {
  let spare = started.length - count
  return started.filter((block) => {
    const isSpare = spare > 0 && block.said === '' && block.citations === 0
    if (!isSpare) return true
    spare -= 1
    state.teller.end(block)
    return false
  })
}

/** The whole answer: what the stream left out is told, and what is still open ends. */
function finishItems(state: ReaderState, output: readonly JsonObject[]): void {
  const streamed = [...state.items.all]
  const matches = matchOutput(streamed, output)
  for (const item of output) {
    const opened = matches.get(item) ?? state.items.add(nameOf(item), -1)
    if (opened.content === undefined) complete(state, opened, item)
  }
  for (const { blocks, content } of streamed) {
    if (content === undefined) for (const block of blocks.values()) state.teller.end(block)
  }
}
