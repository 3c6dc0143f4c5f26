import type { LossFeature, LossKind, LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { BlockStart, ChoiceEvent } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeStopReason } from '../../openai/values/stop-reason.ts'
import { writeLogprobs } from './write-logprobs.ts'

/** The part that one event adds to a choice of the format. A whole answer is the sum of its pieces. */
export interface TextPiece {
  readonly choice: number
  readonly text: string
  readonly logprobs?: JsonObject
  readonly finishReason?: 'stop' | 'length' | 'content_filter'
  /** Further fields of the choice. */
  readonly more?: JsonObject
}

export interface TextWriter {
  /** Returns undefined where the event adds nothing that the format can carry. */
  push(event: ChoiceEvent): TextPiece | undefined
}

interface WrittenChoice {
  readonly kinds: BlockStart['type'][]
  hasWords: boolean
  hasRefusal: boolean
  /** The text offset of the next token with a log probability. */
  offset: number
}

interface WriterState {
  readonly losses: LossList
  readonly choices: Map<number, WrittenChoice>
}

export function createTextWriter(losses: LossList): TextWriter {
  const state: WriterState = { losses, choices: new Map() }
  return { push: (event) => writeEvent(state, event) }
}

function choiceOf({ choices }: WriterState, index: number): WrittenChoice {
  const known = choices.get(index)
  if (known !== undefined) return known
  const choice: WrittenChoice = { kinds: [], hasWords: false, hasRefusal: false, offset: 0 }
  choices.set(index, choice)
  return choice
}

function writeEvent(state: WriterState, event: ChoiceEvent): TextPiece | undefined {
  const choice = choiceOf(state, event.choice)
  const { losses } = state
  switch (event.type) {
    case 'block-start':
      choice.kinds[event.block] = event.start.type
      return pieceOf(event, writeStart(state, choice, event.start))
    case 'text-delta':
      return pieceOf(event, choice.kinds[event.block] === 'thinking' ? '' : event.text)
    case 'audio-delta':
      return pieceOf(event, event.transcript ?? '')
    case 'citation-delta':
      losses.lose('citations', 'dropped')
      return undefined
    case 'logprobs-delta': {
      const { value, nextOffset } = writeLogprobs(event.logprobs, { offset: choice.offset, losses })
      choice.offset = nextOffset
      return { choice: event.choice, text: '', logprobs: value }
    }
    case 'choice-end':
      return writeEnd(state, choice, event)
    case 'block-end':
    case 'signature-delta':
    case 'tool-input-delta':
      return undefined
  }
}

function pieceOf({ choice }: ChoiceEvent, text: string): TextPiece | undefined {
  return text === '' ? undefined : { choice, text }
}

/** Returns the text with which a block starts. */
function writeStart({ losses }: WriterState, choice: WrittenChoice, start: BlockStart): string {
  const lose = (feature: LossFeature, kind: LossKind) => losses.lose(feature, kind)
  switch (start.type) {
    case 'text':
    case 'refusal':
    case 'audio':
      if (choice.hasWords) lose('block-order', 'approximated')
      choice.hasWords = true
      if (start.type === 'refusal') choice.hasRefusal = true
      if (start.type !== 'text') lose(start.type, 'approximated')
      loseExtras(start.extras, { losses, path: 'choices.text' })
      return start.type === 'audio' ? (start.transcript ?? '') : ''
    case 'tool-call':
    case 'opaque':
      losses.lose('foreign-block', 'dropped', kindOf(start))
      return ''
    case 'thinking':
    case 'redacted-thinking':
    case 'image':
      lose(start.type, 'dropped')
      return ''
  }
}

function kindOf(start: Extract<BlockStart, { readonly type: 'tool-call' | 'opaque' }>): string {
  const kind = start.type === 'opaque' ? start.value['type'] : start.type
  return typeof kind === 'string' ? kind : 'unknown'
}

function writeEnd(
  { losses }: WriterState,
  { hasRefusal }: WrittenChoice,
  { choice, stopReason, stopSequence, extras }: Extract<ChoiceEvent, { readonly type: 'choice-end' }>,
): TextPiece {
  if (stopSequence !== undefined) losses.lose('stop-reason', 'approximated')
  const more = extras?.format === 'completions' ? extras.fields : {}
  if (extras?.format !== 'completions') loseExtras(extras, { losses, path: 'choices' })
  return { choice, text: '', finishReason: writeReason(stopReason, hasRefusal, losses), more }
}

/** The words of a refusal are text here, so that only the finish reason shows that it is one. */
const textAlone = { hasToolCall: false, hasRefusal: false } as const

/** Writes the finish reason. The format has no reason for tool calls, and no caller can offer tools. */
function writeReason(
  stopReason: StopReason | undefined,
  hasRefusal: boolean,
  losses: LossList,
): NonNullable<TextPiece['finishReason']> {
  const word = writeStopReason(stopReason, textAlone, losses)
  const isBroken = word === 'length' || word === 'content_filter'
  if (isBroken || (word === 'stop' && !hasRefusal)) return word
  losses.lose('stop-reason', 'approximated')
  return hasRefusal ? 'content_filter' : 'stop'
}
