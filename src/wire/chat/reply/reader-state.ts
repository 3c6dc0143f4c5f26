import type { Citation } from '../../../canonical/content.ts'
import type { Failure } from '../../../canonical/failure.ts'
import type { BlockStart, ReplyEvent, ThinkingStart } from '../../../canonical/reply-event.ts'
import type { JsonValue } from '../../../kit/json/json.ts'
import { CallList, type CallState } from './call-list.ts'

/** All that a reader of one answer remembers. Whole answers are read by the same steps, as one chunk. */
export interface ReaderState {
  /** What the piece at hand has given so far. */
  events: ReplyEvent[]
  isStarted: boolean
  isOver: boolean
  /** Any frame with a body was seen. */
  hasFrames: boolean
  id: string
  model: string
  createdAtSeconds: number | undefined
  serviceTier: string | undefined
  /** Fields of the answer that only this format knows, the last value of each. */
  readonly extras: Map<string, JsonValue>
  /** Those already told, in the start of the answer. */
  emittedExtras: ReadonlyMap<string, JsonValue>
  emittedServiceTier: string | undefined
  /** Parts of usage that the canonical form has no name for. */
  usageExtras: JsonValue | undefined
  readonly choices: Map<number, ChoiceState>
}

export interface ChoiceState {
  readonly index: number
  /** Blocks started so far; the next block's number. */
  blockCount: number
  /** The block of words that goes on, if the last piece was one. */
  open: OpenBlock | undefined
  /** Sound goes on beside other blocks. */
  audioBlock: number | undefined
  readonly calls: CallList
  /** How many entries of reasoning there were, pieces of one counted once. */
  detailCount: number
  lastCall: CallState | undefined
  /** Sources named while no text was there to hang them on. */
  citations: Citation[]
  /** Annotations that are no sources, as they came. */
  readonly unreadAnnotations: JsonValue[]
  finish: string | number | undefined
  readonly extras: Map<string, JsonValue>
  readonly messageExtras: Map<string, JsonValue>
}

export interface OpenBlock {
  readonly type: 'text' | 'thinking' | 'refusal'
  readonly block: number
  /** Of reasoning in several parts, which one this is. */
  readonly part: number | undefined
  /** Of reasoning, whether any of it came as an entry of its details. */
  isDetailed: boolean
  isSigned: boolean
  /** Of reasoning, what it said so far. */
  said: string
}

export function createReaderState(): ReaderState {
  return {
    events: [],
    isStarted: false,
    isOver: false,
    hasFrames: false,
    id: '',
    model: '',
    createdAtSeconds: undefined,
    serviceTier: undefined,
    extras: new Map(),
    emittedExtras: new Map(),
    emittedServiceTier: undefined,
    usageExtras: undefined,
    choices: new Map(),
  }
}

/** Ends the answer badly; nothing more is told. */
export function failAnswer(state: ReaderState, failure: Failure): void {
  if (state.isOver) return
  state.isOver = true
  state.events.push({ type: 'failure', failure })
}

/** Hands over what was told since the last time; nothing stands after a failure. */
export function takeEvents(state: ReaderState): readonly ReplyEvent[] {
  const { events } = state
  state.events = []
  const failure = state.isOver ? events.findIndex((event) => event.type === 'failure') : -1
  return failure === -1 ? events : events.slice(0, failure + 1)
}

export function choiceOf(state: ReaderState, index: number): ChoiceState {
  const known = state.choices.get(index)
  if (known !== undefined) return known
  const choice: ChoiceState = {
    index,
    blockCount: 0,
    open: undefined,
    audioBlock: undefined,
    calls: new CallList(),
    detailCount: 0,
    lastCall: undefined,
    citations: [],
    unreadAnnotations: [],
    finish: undefined,
    extras: new Map(),
    messageExtras: new Map(),
  }
  state.choices.set(index, choice)
  return choice
}

/** Starts a block; the words before it are over, and so are calls whose input is complete. */
export function startBlock(state: ReaderState, choice: ChoiceState, start: BlockStart): number {
  return startAny(state, choice, { start })
}

/** Reasoning in a field of words alone. */
export function startUnsigned(state: ReaderState, choice: ChoiceState, start: ThinkingStart): number {
  return startAny(state, choice, { start, isUnsigned: true })
}

function startAny(
  state: ReaderState,
  choice: ChoiceState,
  started: { readonly start: BlockStart; readonly isUnsigned?: true },
): number {
  endOpenBlock(state, choice)
  endCompleteCalls(state, choice)
  const block = choice.blockCount
  choice.blockCount += 1
  state.events.push({ type: 'block-start', choice: choice.index, block, ...started })
  return block
}

export function endBlock(state: ReaderState, choice: ChoiceState, block: number): void {
  state.events.push({ type: 'block-end', choice: choice.index, block })
}

export function endOpenBlock(state: ReaderState, choice: ChoiceState): void {
  if (choice.open === undefined) return
  endBlock(state, choice, choice.open.block)
  choice.open = undefined
}

function endCompleteCalls(state: ReaderState, choice: ChoiceState): void {
  for (const call of choice.calls.takeReady()) {
    if (call.isEnded || call.block === undefined || !isCompleteInput(call)) continue
    call.isEnded = true
    endBlock(state, choice, call.block)
  }
}

/** Whether no more input can follow: it is a whole JSON object. Free text is never known to be complete. */
export function isCompleteInput(call: CallState): boolean {
  return call.kind === 'function' && call.input.isWhole
}
