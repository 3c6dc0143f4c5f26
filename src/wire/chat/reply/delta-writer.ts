import { unnamedReasoning } from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { LossFeature, LossList } from '../../../canonical/loss.ts'
import type { BlockStart, ChoiceEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { AnswerForm } from '../../answer-form.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeMediaUrl } from '../../fields/media-url.ts'
import { type FinishReason, writeStopReason } from '../../openai/values/stop-reason.ts'
import { withExtras } from '../values/extras.ts'
import { moveCitation } from '../values/move-citation.ts'
import { writeCitation } from '../values/write-citation.ts'
import { type CallWriter, FunctionCallWriter, ToolCallWriter } from './call-writer.ts'
import { EmptyInput, NO_ARGUMENTS } from './empty-input.ts'
import { ReasoningWriter } from './reasoning-writer.ts'

/** The part that one event adds to a message of the format. A whole answer is the sum of its pieces. */
export interface DeltaPiece {
  readonly choice: number
  /** A delta that is written before this one. */
  readonly before?: JsonObject
  readonly delta: JsonObject
  readonly logprobs?: JsonObject
  readonly finishReason?: FinishReason | 'function_call'
  /** Fields of the choice next to its delta. */
  readonly more?: JsonObject
}

export interface DeltaWriter {
  /** Returns undefined where the event adds nothing that the format can carry. */
  push(event: ChoiceEvent): DeltaPiece | undefined
}

interface WrittenChoice {
  readonly blocks: BlockStart[]
  /** The position of each text in the content, which joins all of them. */
  readonly textOffsets: number[]
  /** The length of the content so far, in UTF-16 units. */
  contentLength: number
  readonly calls: CallWriter
  readonly emptyInput: EmptyInput
  /** The last block that wrote something. A reader recognizes the start of the next block by the change. */
  latest: { readonly block: number; readonly kind: BlockStart['type'] } | undefined
  /** The highest rank so far, by the message fields that hold the blocks. */
  rank: number
  hasAudio: boolean
  readonly reasoning: ReasoningWriter
}

export interface DeltaForm extends AnswerForm {
  /**
   * Whether the order of the blocks follows from time, as in a stream. In a whole message it follows from the fields.
   */
  readonly isStream: boolean
}

interface DeltaState {
  readonly losses: LossList
  readonly isStream: boolean
  readonly legacyCalls: boolean
  readonly choices: Map<number, WrittenChoice>
}

export function createDeltaWriter(losses: LossList, form: DeltaForm): DeltaWriter {
  const { isStream, legacyCalls = false } = form
  const state: DeltaState = { losses, isStream, legacyCalls, choices: new Map() }
  return { push: (event) => writeEvent(state, event) }
}

function choiceOf(state: DeltaState, index: number): WrittenChoice {
  const existing = state.choices.get(index)
  if (existing !== undefined) return existing
  const choice: WrittenChoice = {
    blocks: [],
    textOffsets: [],
    contentLength: 0,
    calls: state.legacyCalls ? new FunctionCallWriter(state.losses) : new ToolCallWriter(state.losses),
    emptyInput: new EmptyInput(state.losses),
    latest: undefined,
    rank: -1,
    hasAudio: false,
    reasoning: new ReasoningWriter(state.isStream),
  }
  state.choices.set(index, choice)
  return choice
}

function writeEvent(state: DeltaState, event: ChoiceEvent): DeltaPiece | undefined {
  const choice = choiceOf(state, event.choice)
  const released = choice.emptyInput.release(event)
  const piece = writeEventAlone(state, choice, event)
  if (released === undefined) return piece
  const before = choice.calls.addInput(released, NO_ARGUMENTS)
  if (before === undefined) return piece
  return piece === undefined ? { choice: event.choice, delta: before } : { ...piece, before }
}

function writeEventAlone(
  state: DeltaState,
  choice: WrittenChoice,
  event: ChoiceEvent,
): DeltaPiece | undefined {
  const piece = (delta: JsonObject | undefined) =>
    delta === undefined ? undefined : { choice: event.choice, delta }
  switch (event.type) {
    case 'block-start':
      choice.blocks[event.block] = event.start
      return piece(writeStart(state, choice, event))
    case 'text-delta':
      return piece(writeText(state, choice, event))
    case 'tool-input-delta':
      if (choice.emptyInput.hold(event, choice.blocks[event.block])) return undefined
      return piece(choice.calls.addInput(event.block, event.text))
    case 'audio-delta': {
      const { data, transcript, expiresAtSeconds: expires_at } = event
      return piece({ audio: omitUndefined({ data, transcript, expires_at }) })
    }
    case 'citation-delta': {
      const citation = moveCitation(event.citation, choice.textOffsets[event.block] ?? 0)
      const annotation = writeCitation(citation, state.losses)
      return piece(annotation === undefined ? undefined : { annotations: [annotation] })
    }
    case 'signature-delta':
      choice.reasoning.addSignature(event.block, event.signature)
      return undefined
    case 'logprobs-delta': {
      const { content, refusal } = event.logprobs
      return {
        choice: event.choice,
        delta: {},
        logprobs: { content: content ?? null, refusal: refusal ?? null },
      }
    }
    case 'choice-end':
      return writeEnd(state, choice, event)
    case 'block-end':
      return piece(choice.reasoning.end(event.block))
  }
}

/** The order in which a reader reads the fields of a message. */
const ranks: Readonly<Record<BlockStart['type'], number>> = {
  thinking: 0,
  text: 1,
  refusal: 2,
  audio: 3,
  image: 4,
  'tool-call': 5,
  'redacted-thinking': 0,
  opaque: -1,
}

type StartEvent = Extract<ChoiceEvent, { readonly type: 'block-start' }>

function writeStart(state: DeltaState, choice: WrittenChoice, event: StartEvent): JsonObject | undefined {
  const { start, block } = event
  const { losses } = state
  switch (start.type) {
    case 'thinking':
      choice.reasoning.start({ block, start, isUnsigned: event.isUnsigned === true })
      recordOrder(state, choice, event)
      loseOthers({ ...start, text: '' }, losses)
      return undefined
    case 'text':
    case 'refusal':
      if (start.type === 'text') choice.textOffsets[block] = choice.contentLength
      recordOrder(state, choice, event)
      loseExtras(start.extras, { losses, path: 'choices.message' })
      return undefined
    case 'tool-call':
      recordOrder(state, choice, event)
      return choice.calls.start(block, start)
    case 'audio':
      recordOrder(state, choice, event)
      return writeAudioStart(state, choice, start)
    case 'image':
      recordOrder(state, choice, event)
      return writeImage(state, start)
    case 'redacted-thinking':
      recordOrder(state, choice, event)
      loseOthers(start, losses)
      return choice.reasoning.addRedacted(start)
    case 'opaque': {
      const type = start.value['type']
      losses.lose('foreign-block', 'dropped', typeof type === 'string' ? type : 'unknown')
      return undefined
    }
  }
}

/** Declares the loss of other formats' fields. Fields of this format are in the details. */
function loseOthers(block: ThinkingBlock | RedactedThinkingBlock, losses: LossList): void {
  if (block.extras?.format === 'chat') return
  loseExtras(unnamedReasoning(block), { losses, path: 'choices.message' })
}

/** Declares where blocks are merged or reordered, since text and reasoning have only one field each. */
function recordOrder(state: DeltaState, choice: WrittenChoice, { start, block }: StartEvent): void {
  const rank = ranks[start.type]
  const isSingle = rank <= ranks.audio && start.type !== 'redacted-thinking'
  const runsTogether = state.isStream
    ? choice.latest?.kind === start.type && isSingle
    : rank < choice.rank || (rank === choice.rank && isSingle)
  if (runsTogether) lose(state, 'block-order')
  choice.rank = Math.max(choice.rank, rank)
  choice.latest = { block, kind: start.type }
}

function lose(state: DeltaState, feature: LossFeature): void {
  state.losses.lose(feature, 'approximated')
}

function writeAudioStart(
  state: DeltaState,
  choice: WrittenChoice,
  start: Extract<BlockStart, { readonly type: 'audio' }>,
): JsonObject | undefined {
  const { id, data, transcript, expiresAtSeconds: expires_at, encoding } = start
  if (choice.hasAudio) lose(state, 'block-order')
  choice.hasAudio = true
  if (encoding !== undefined) lose(state, 'audio')
  const audio = withExtras(omitUndefined({ id, data, transcript, expires_at }), start.extras, {
    losses: state.losses,
    path: 'choices.message.audio',
  })
  return Object.keys(audio).length === 0 ? undefined : { audio }
}

/**
 * Writes an image next to the content, where OpenRouter lists generated images. The official format has no field for
 * them.
 */
function writeImage(
  { losses }: DeltaState,
  { source, detail, extras }: Extract<BlockStart, { readonly type: 'image' }>,
): JsonObject | undefined {
  const url = writeMediaUrl(source)
  if (url === undefined) {
    losses.lose('image', 'dropped')
    return undefined
  }
  const written = { type: 'image_url', image_url: omitUndefined({ url, detail }) }
  return { images: [withExtras(written, extras, { losses, path: 'choices.message.images' })] }
}

const fieldOfWords = { text: 'content', refusal: 'refusal' } as const

type TextEvent = Extract<ChoiceEvent, { readonly type: 'text-delta' }>

function writeText(
  state: DeltaState,
  choice: WrittenChoice,
  { block, text }: TextEvent,
): JsonObject | undefined {
  const kind = choice.blocks[block]?.type
  if (kind !== 'text' && kind !== 'thinking' && kind !== 'refusal') return undefined
  if (kind === 'text') choice.contentLength += text.length
  // Text for a block that is not the latest one looks the same as a new block.
  if (state.isStream && choice.latest?.block !== block) lose(state, 'block-order')
  return kind === 'thinking' ? choice.reasoning.addText(block, text) : { [fieldOfWords[kind]]: text }
}

type EndEvent = Extract<ChoiceEvent, { readonly type: 'choice-end' }>

function writeEnd(
  { losses, legacyCalls }: DeltaState,
  { blocks }: WrittenChoice,
  { choice, stopReason, stopSequence, extras }: EndEvent,
): DeltaPiece {
  if (stopSequence !== undefined) losses.lose('stop-reason', 'approximated')
  const { message, ...more } = ownFields(extras, losses)
  const hasToolCall = blocks.some(({ type }) => type === 'tool-call')
  const hasRefusal = blocks.some(({ type }) => type === 'refusal')
  const word = writeStopReason(stopReason, { hasToolCall, hasRefusal }, losses)
  return {
    choice,
    delta: isJsonObject(message) ? message : {},
    finishReason: legacyCalls && word === 'tool_calls' ? 'function_call' : word,
    more,
  }
}

function ownFields(extras: Extras | undefined, losses: LossList): JsonObject {
  if (extras === undefined || extras.format === 'chat') return extras?.fields ?? {}
  loseExtras(extras, { losses, path: 'choices' })
  return {}
}
