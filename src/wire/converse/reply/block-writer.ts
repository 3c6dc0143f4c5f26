import type { LossList } from '../../../canonical/loss.ts'
import type { BlockEvent, BlockStart } from '../../../canonical/reply-event.ts'
import { FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeSignature } from '../values/reasoning-content.ts'
import { writeBlockHead, writeCitation } from './write-block.ts'

/** The parts that one event adds to its block. */
export interface BlockParts {
  readonly start?: JsonObject | undefined
  readonly deltas: readonly JsonObject[]
}

interface OpenBlock {
  readonly start: BlockStart
  /** The signature so far. It is held until the block ends, because the format sends it in one piece. */
  signature: string
}

const none: BlockParts = { deltas: [] }

/** Writes the events of blocks as parts of the format. */
export class BlockWriter {
  /** The parts of the answer so far that decide its stop reason. */
  readonly content = { hasToolCall: false, hasRefusal: false }
  readonly #losses: LossList
  readonly #open = new Map<number, OpenBlock>()

  constructor(losses: LossList) {
    this.#losses = losses
  }

  push(event: BlockEvent): BlockParts {
    if (event.type === 'block-start') return this.#start(event.block, event.start)
    const open = this.#open.get(event.block)
    if (open === undefined) return none
    switch (event.type) {
      case 'text-delta':
        return oneDelta(writeText(open.start, event.text))
      case 'tool-input-delta':
        return oneDelta({ toolUse: { input: writeInput(open.start, event.text) } })
      case 'citation-delta':
        return oneDelta({ citation: writeCitation(event.citation, this.#losses) })
      case 'audio-delta':
        return event.transcript ? oneDelta({ text: event.transcript }) : none
      case 'signature-delta':
        open.signature += event.signature
        return none
      case 'block-end':
        this.#open.delete(event.block)
        return this.#end(open)
    }
  }

  #start(block: number, start: BlockStart): BlockParts {
    const head = writeBlockHead(start, this.#losses)
    if (head === undefined) return none
    this.#open.set(block, { start, signature: '' })
    if (start.type === 'refusal') this.content.hasRefusal = true
    if (start.type !== 'tool-call') return head
    this.content.hasToolCall = true
    // The free text of a custom tool is written as the inside of a JSON string.
    return start.kind === 'function'
      ? head
      : { ...head, deltas: [{ toolUse: { input: `{"${FREE_TEXT_PROPERTY}":"` } }] }
  }

  #end({ start, signature }: OpenBlock): BlockParts {
    if (start.type === 'tool-call' && start.kind === 'custom') return oneDelta({ toolUse: { input: '"}' } })
    if (start.type !== 'thinking') return none
    const signed = signature === '' ? undefined : writeSignature({ ...start, text: '', signature })
    return signed === undefined ? none : oneDelta({ reasoningContent: { signature: signed } })
  }
}

function oneDelta(delta: JsonObject): BlockParts {
  return { deltas: [delta] }
}

function writeText(start: BlockStart, text: string): JsonObject {
  return start.type === 'thinking' ? { reasoningContent: { text } } : { text }
}

function writeInput(start: BlockStart, text: string): string {
  const isFree = start.type === 'tool-call' && start.kind === 'custom'
  return isFree ? JSON.stringify(text).slice(1, -1) : text
}
