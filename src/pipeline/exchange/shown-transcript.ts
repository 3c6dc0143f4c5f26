import type { BlockStart, ReplyEvent } from '../../canonical/reply-event.ts'
import { unreachable } from '../../kit/errors/unreachable.ts'
import type { StreamWriter } from '../../wire/reply-stream.ts'

/** A block, as far as the caller has seen it. */
export interface ShownBlock {
  readonly start: BlockStart
  /** The text of a text, thinking or refusal block, or the input of a tool call. */
  text: string
  citations: number
  hasSignature: boolean
  isEnded: boolean
}

/** The longest answer that is stored. Longer answers cannot be recovered. */
const MAX_TEXT_CHARACTERS = 2_000_000

/**
 * The part of one streamed answer that the caller has seen, and the writer that sends it. Another generation can be
 * compared with it and continue where the first broke off (invariant 5).
 */
export class ShownTranscript {
  readonly writer: StreamWriter
  readonly blocks = new Map<string, ShownBlock>()
  readonly endedChoices = new Set<number>()
  hasStarted = false
  /** False once the transcript has content that cannot be compared with another generation, or more than the limit. */
  isReproducible = true
  #characters = 0

  constructor(writer: StreamWriter) {
    this.writer = writer
  }

  /** Records an event that the caller sees. */
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

/**
 * Whether a block can be compared. A picture, a sound or content that only its maker can read is never generated twice
 * the same.
 */
function isComparable({ type }: BlockStart): boolean {
  return type === 'text' || type === 'thinking' || type === 'refusal' || type === 'tool-call'
}
