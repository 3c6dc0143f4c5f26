import { unreachable } from '../kit/errors/unreachable.ts'
import type { JsonValue } from '../kit/json/json.ts'
import type { AssistantBlock, Citation } from './content.ts'
import { createFailure, type Failure } from './failure.ts'
import { joinExtras } from './format.ts'
import type { Choice, LogProbs, Reply } from './reply.ts'
import { type BlockStart, isOfChoice, type ReplyEvent } from './reply-event.ts'
import type { Usage } from './usage.ts'

/** Gathers the events of one answer. `push` never throws. */
export interface ReplyFold {
  push(event: ReplyEvent): void
  /**
   * The whole answer, once `reply-end` was pushed. Otherwise the failure that ended the answer:
   * - the failure in the stream
   * - `upstream_disconnected` where the stream just stops, so that a cut answer never looks whole
   * - `internal_error` where the events break the order of `ReplyEvent`, since the answer is unknown then
   */
  result(): Reply | Failure
}

/** The start of a block, and the content of its deltas so far. */
interface GatheredBlock {
  readonly start: BlockStart
  readonly text: string
  readonly signature: string | undefined
  readonly citations: readonly Citation[]
  readonly audio: AudioParts
}

interface OpenBlock extends GatheredBlock {
  text: string
  signature: string | undefined
  readonly citations: Citation[]
  audio: AudioParts
  isEnded: boolean
}

interface AudioParts {
  readonly data?: string
  readonly transcript?: string
  readonly expiresAtSeconds?: number
}

interface OpenChoice {
  readonly blocks: OpenBlock[]
  logprobs: { content?: JsonValue[]; refusal?: JsonValue[] } | undefined
  end: Extract<ReplyEvent, { type: 'choice-end' }> | undefined
}

interface FoldState {
  start: Extract<ReplyEvent, { type: 'reply-start' }> | undefined
  end: Extract<ReplyEvent, { type: 'reply-end' }> | undefined
  failure: Failure | undefined
  usage: Usage | undefined
  readonly choices: OpenChoice[]
}

type BlockDelta = Extract<
  ReplyEvent,
  { type: 'text-delta' | 'signature-delta' | 'citation-delta' | 'tool-input-delta' | 'audio-delta' }
>

/** The limit on what one wrong index can make the gateway allocate. No provider gives as many choices. */
const MAX_CHOICES = 1024

/** Folds a stream of events into the whole answer. */
export function foldReply(events: Iterable<ReplyEvent>): Reply | Failure {
  const fold = createReplyFold()
  for (const event of events) fold.push(event)
  return fold.result()
}

export function createReplyFold(): ReplyFold {
  const state: FoldState = {
    start: undefined,
    end: undefined,
    failure: undefined,
    usage: undefined,
    choices: [],
  }
  return {
    push(event) {
      if (state.failure !== undefined) return
      if (!addEvent(state, event)) state.failure = orderFailure(event)
    },
    result: () => state.failure ?? closeReply(state),
  }
}

/** Whether the event is valid at this point. */
function addEvent(state: FoldState, event: ReplyEvent): boolean {
  if (event.type === 'failure') {
    state.failure = event.failure
    return true
  }
  if (state.end !== undefined) return false
  if (event.type === 'reply-start') {
    if (state.start !== undefined) return false
    state.start = event
    return true
  }
  if (state.start === undefined) return false
  if (event.type === 'reply-end') {
    state.end = event
    return true
  }
  if (event.type === 'usage') {
    state.usage = event.usage
    return true
  }
  const choice = openChoice(state.choices, event.choice)
  if (choice === undefined || choice.end !== undefined) return false
  return addChoiceEvent(choice, event)
}

function openChoice(choices: OpenChoice[], index: number): OpenChoice | undefined {
  if (!Number.isInteger(index) || index < 0 || index >= MAX_CHOICES) return undefined
  while (choices.length <= index) choices.push({ blocks: [], logprobs: undefined, end: undefined })
  return choices[index]
}

function addChoiceEvent(
  choice: OpenChoice,
  event: Extract<ReplyEvent, { readonly choice: number }>,
): boolean {
  switch (event.type) {
    case 'block-start':
      if (event.block !== choice.blocks.length) return false
      choice.blocks.push(openBlock(event.start))
      return true
    case 'logprobs-delta':
      addLogprobs(choice, event.logprobs)
      return true
    case 'choice-end':
      choice.end = event
      return true
    default: {
      const block = choice.blocks[event.block]
      if (block === undefined || block.isEnded) return false
      if (event.type !== 'block-end') return addDelta(block, event)
      block.isEnded = true
      return true
    }
  }
}

function openBlock(start: BlockStart): OpenBlock {
  const audio = start.type === 'audio' ? audioParts(start) : {}
  return { start, text: '', signature: undefined, citations: [], audio, isEnded: false }
}

function audioParts(from: AudioParts): AudioParts {
  return {
    ...(from.data === undefined ? {} : { data: from.data }),
    ...(from.transcript === undefined ? {} : { transcript: from.transcript }),
    ...(from.expiresAtSeconds === undefined ? {} : { expiresAtSeconds: from.expiresAtSeconds }),
  }
}

/** Adds a delta. False where this kind of block has no such delta. */
function addDelta(block: OpenBlock, event: BlockDelta): boolean {
  const kind = block.start.type
  switch (event.type) {
    case 'text-delta':
      block.text += event.text
      return kind === 'text' || kind === 'thinking' || kind === 'refusal'
    case 'tool-input-delta':
      block.text += event.text
      return kind === 'tool-call'
    case 'signature-delta':
      block.signature = (block.signature ?? '') + event.signature
      return kind === 'thinking'
    case 'citation-delta':
      block.citations.push(event.citation)
      return kind === 'text'
    case 'audio-delta':
      block.audio = joinAudio(block.audio, event)
      return kind === 'audio'
    default:
      return unreachable(event)
  }
}

function joinAudio(before: AudioParts, delta: AudioParts): AudioParts {
  const joined = { ...before, ...audioParts(delta) }
  return {
    ...joined,
    ...(joined.data === undefined ? {} : { data: (before.data ?? '') + (delta.data ?? '') }),
    ...(joined.transcript === undefined
      ? {}
      : { transcript: (before.transcript ?? '') + (delta.transcript ?? '') }),
  }
}

function addLogprobs(choice: OpenChoice, more: LogProbs): void {
  choice.logprobs ??= {}
  for (const list of ['content', 'refusal'] as const) {
    const entries = more[list]
    if (entries === undefined) continue
    choice.logprobs[list] ??= []
    for (const entry of entries) choice.logprobs[list].push(entry)
  }
}

function closeReply(state: FoldState): Reply | Failure {
  const { start, end, usage } = state
  if (start === undefined) return createFailure('upstream_empty')
  if (end === undefined) return createFailure('upstream_disconnected')
  const serviceTier = end.serviceTier ?? start.serviceTier
  const extras = joinExtras(start.extras, end.extras)
  return {
    id: start.id,
    model: start.model,
    ...(start.createdAtSeconds === undefined ? {} : { createdAtSeconds: start.createdAtSeconds }),
    choices: state.choices.map(closeChoice),
    ...(usage === undefined ? {} : { usage }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(extras === undefined ? {} : { extras }),
  }
}

function closeChoice({ blocks, logprobs, end }: OpenChoice): Choice {
  return {
    content: blocks.map(completeBlock),
    ...(end?.stopReason === undefined ? {} : { stopReason: end.stopReason }),
    ...(end?.stopSequence === undefined ? {} : { stopSequence: end.stopSequence }),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(end?.extras === undefined ? {} : { extras: end.extras }),
  }
}

/** Completes the start of a block with the content of its deltas. */
export function completeBlock({ start, text, signature, citations, audio }: GatheredBlock): AssistantBlock {
  switch (start.type) {
    case 'text':
      return { ...start, text, ...(citations.length === 0 ? {} : { citations }) }
    case 'thinking':
      return { ...start, text, ...(signature === undefined ? {} : { signature }) }
    case 'refusal':
      return { ...start, text }
    case 'tool-call':
      return { ...start, input: text }
    case 'audio':
      return { ...start, ...audio }
    default:
      return start
  }
}

function orderFailure(event: ReplyEvent): Failure {
  const inChoice = isOfChoice(event) ? ` in choice ${event.choice}` : ''
  return createFailure('internal_error', {
    message: `The events of the answer are out of order: a ${event.type}${inChoice} stands where it cannot.`,
  })
}
