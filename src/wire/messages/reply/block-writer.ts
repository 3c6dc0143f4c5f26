import type { AssistantBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { BlockEvent, BlockStart } from '../../../canonical/reply-event.ts'
import { FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { AnswerContent } from '../../answer-content.ts'
import { dropSilent, type TextStart, writeAssistant, writeTextStart } from '../request/write-assistant.ts'
import { writeSignature } from '../request/write-thinking.ts'
import { writeReplyCitation } from '../values/write-citation.ts'
import { createBlockSequencer } from './block-sequencer.ts'

/** Writes the blocks of one streamed answer. */
export interface StreamBlockWriter {
  push(event: BlockEvent): string
  stopAll(): string
  readonly inspection: AnswerContent
}

interface OpenBlock {
  readonly start: BlockStart
  /** Whether the block was written. A text starts with its first characters; some kinds cannot be carried at all. */
  isShown: boolean
  /** Held until the block's end, since the official SDK keeps only the last signature it gets. */
  signature: string
}

interface WriterState {
  readonly losses: LossList
  readonly open: Map<number, OpenBlock>
  readonly sequencer: ReturnType<typeof createBlockSequencer>
  readonly inspection: { hasToolCall: boolean; hasRefusal: boolean }
}

export function createStreamBlockWriter(losses: LossList): StreamBlockWriter {
  const state: WriterState = {
    losses,
    open: new Map(),
    sequencer: createBlockSequencer(),
    inspection: { hasToolCall: false, hasRefusal: false },
  }
  return {
    inspection: state.inspection,
    push: (event) => writeBlockEvent(state, event),
    stopAll() {
      const ended = [...state.open.keys()].map((block) => endBlock(state, block))
      return ended.join('') + state.sequencer.stopAll()
    },
  }
}

function writeBlockEvent(state: WriterState, event: BlockEvent): string {
  if (event.type === 'block-start') return startBlock(state, event.block, event.start)
  if (event.type === 'block-end') return endBlock(state, event.block)
  const open = state.open.get(event.block)
  if (open === undefined) return ''
  switch (event.type) {
    case 'signature-delta':
      open.signature += event.signature
      return ''
    case 'audio-delta':
      return speak(state, open, event)
    case 'citation-delta': {
      const citation = writeReplyCitation(event.citation, state.losses)
      if (citation === undefined) return ''
      return (
        openText(state, open, event.block) +
        writeDelta(state, event.block, { type: 'citations_delta', citation })
      )
    }
    default: {
      const opened = event.text === '' ? '' : openText(state, open, event.block)
      return opened + writeDelta(state, event.block, writeTextDelta(open.start, event.text))
    }
  }
}

function startBlock(state: WriterState, block: number, start: BlockStart): string {
  const open: OpenBlock = { start, isShown: false, signature: '' }
  state.open.set(block, open)
  if (start.type === 'tool-call') state.inspection.hasToolCall = true
  if (start.type === 'refusal') state.inspection.hasRefusal = true
  if (start.type === 'audio') return speak(state, open, { block, transcript: start.transcript ?? '' })
  if (isText(start)) {
    state.sequencer.reserve(block)
    return ''
  }
  const written = writeAssistant(emptyBlock(start), { losses: state.losses, side: 'reply' })
  if (written === undefined) return ''
  // The signature is written at the end.
  const content = start.type === 'thinking' ? { ...written, signature: '' } : written
  open.isShown = true
  if (start.type !== 'tool-call') return state.sequencer.start(block, content)
  const opened = state.sequencer.start(block, { ...content, input: {} })
  return start.kind === 'function' ? opened : opened + writeInput(state, block, `{"${FREE_TEXT_PROPERTY}":"`)
}

/** The block that a start stands for if no delta follows. */
function emptyBlock(start: Exclude<BlockStart, TextStart>): AssistantBlock {
  switch (start.type) {
    case 'thinking':
      return { ...start, text: '' }
    case 'tool-call':
      return { ...start, input: '' }
    default:
      return start
  }
}

function writeTextDelta(start: BlockStart, text: string): JsonObject {
  switch (start.type) {
    case 'thinking':
      return { type: 'thinking_delta', thinking: text }
    case 'tool-call':
      // The free text of a custom tool is written as the inside of a JSON string.
      return {
        type: 'input_json_delta',
        partial_json: start.kind === 'function' ? text : JSON.stringify(text).slice(1, -1),
      }
    default:
      return { type: 'text_delta', text }
  }
}

function isText(start: BlockStart): start is TextStart {
  return start.type === 'text' || start.type === 'refusal' || start.type === 'audio'
}

/** Starts a text block with its first characters. The API sends no empty one, and refuses one that is sent back. */
function openText(state: WriterState, open: OpenBlock, block: number): string {
  const { start, isShown } = open
  if (isShown || !isText(start)) return ''
  open.isShown = true
  return state.sequencer.start(block, writeTextStart(start, state.losses))
}

/** Writes a chunk of a transcript as text, since the format cannot carry audio. */
function speak(
  state: WriterState,
  open: OpenBlock,
  { block, transcript = '' }: { readonly block: number; readonly transcript?: string },
): string {
  if (transcript === '') return ''
  return openText(state, open, block) + state.sequencer.delta(block, { type: 'text_delta', text: transcript })
}

function writeDelta(state: WriterState, block: number, delta: JsonObject): string {
  return state.open.get(block)?.isShown === true ? state.sequencer.delta(block, delta) : ''
}

function writeInput(state: WriterState, block: number, json: string): string {
  return state.sequencer.delta(block, { type: 'input_json_delta', partial_json: json })
}

function writeSigned(state: WriterState, block: number, thinking: ThinkingBlock): string {
  return state.sequencer.delta(block, { type: 'signature_delta', signature: writeSignature(thinking) })
}

function endBlock(state: WriterState, block: number): string {
  const open = state.open.get(block)
  if (open === undefined) return ''
  state.open.delete(block)
  const { start, signature, isShown } = open
  if (start.type === 'audio') {
    state.losses.lose('audio', isShown ? 'approximated' : 'dropped')
  } else if (!isShown && isText(start)) dropSilent(start, state.losses)
  if (!isShown) return state.sequencer.stop(block)
  const signed =
    start.type === 'thinking'
      ? writeSigned(state, block, { ...start, text: '', ...(signature !== '' && { signature }) })
      : ''
  const closed = start.type === 'tool-call' && start.kind === 'custom' ? writeInput(state, block, '"}') : ''
  return signed + closed + state.sequencer.stop(block)
}
