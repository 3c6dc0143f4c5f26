import type { BlockStart, ReplyEvent } from '../../canonical/reply-event.ts'
import { unreachable } from '../../kit/errors/unreachable.ts'
import type { StreamWriter } from '../../wire/wire-format.ts'

/** A block as the caller has been shown it so far. */
export interface ShownBlock {
  readonly start: BlockStart
  /** The text of a text, thinking or refusal block, or the input of a tool call. */
  text: string
  citations: number
  hasSignature: boolean
  isEnded: boolean
}

/** A longer answer is not stored, and so not recovered. */
const MAX_TEXT_CHARACTERS = 2_000_000

/**
 * The part of one streamed answer that the caller has been shown, and the writer that shows it, so that another
 * generation can be held against it and go on where it broke off (invariant 5).
 */
export class ShownTranscript {
  readonly writer: StreamWriter
  readonly blocks = new Map<string, ShownBlock>()
  readonly endedChoices = new Set<number>()
  hasStarted = false
  /** False once it holds what no other generation can be held against, or more than is kept. */
  isReproducible = true
  #characters = 0

  constructor(writer: StreamWriter) {
    this.writer = writer
  }

  /** Takes down an event that the caller is shown. */
  record(event: ReplyEvent): void {
    if (!this.isReproducible) return
    switch (event.type) {
      case 'reply-start':
        this.hasStarted = true
        return
      case 'block-start':
        this.#recordStart(event)
        return
      case 'text-delta':
      case 'tool-input-delta':
        this.#recordText(blockKey(event), event.text)
        return
      case 'choice-end':
        this.endedChoices.add(event.choice)
        return
      case 'citation-delta':
      case 'signature-delta':
      case 'block-end':
        this.#recordMark(event)
        return
      case 'logprobs-delta':
      case 'audio-delta':
        this.#giveUp()
        return
      case 'usage':
      case 'reply-end':
      case 'failure':
        return
      default:
        unreachable(event)
    }
  }

  #recordStart(event: ReplyEvent & { readonly type: 'block-start' }): void {
    const { start } = event
    if (!isComparable(start)) {
      this.#giveUp()
      return
    }
    this.blocks.set(blockKey(event), { start, text: '', citations: 0, hasSignature: false, isEnded: false })
  }

  #recordText(key: string, text: string): void {
    const block = this.blocks.get(key)
    if (block !== undefined) block.text += text
    this.#characters += text.length
    if (this.#characters > MAX_TEXT_CHARACTERS) this.#giveUp()
  }

  #recordMark(
    event: ReplyEvent & { readonly type: 'citation-delta' | 'signature-delta' | 'block-end' },
  ): void {
    const block = this.blocks.get(blockKey(event))
    if (block === undefined) return
    if (event.type === 'citation-delta') block.citations += 1
    else if (event.type === 'signature-delta') block.hasSignature = true
    else block.isEnded = true
  }

  #giveUp(): void {
    this.isReproducible = false
    this.blocks.clear()
  }
}

export function blockKey({ choice, block }: { readonly choice: number; readonly block: number }): string {
  return `${choice} ${block}`
}

/** Whether a block is words; a picture, a sound or what only its maker can read cannot be made twice the same. */
function isComparable({ type }: BlockStart): boolean {
  return type === 'text' || type === 'thinking' || type === 'refusal' || type === 'tool-call'
}
