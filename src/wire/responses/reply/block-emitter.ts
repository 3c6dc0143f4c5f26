import type { AssistantBlock, Citation } from '../../../canonical/content.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { startOfBlock } from '../../../canonical/unfold-reply.ts'

/** A started block, and how much of it was emitted. */
export interface EmittedBlock {
  readonly block: number
  readonly type: AssistantBlock['type']
  said: string
  citations: number
}

interface StartedBlocks {
  readonly started: readonly EmittedBlock[]
  /** The index of the first started block without a match. */
  readonly next: number
  /** The block that follows this one in the whole item. */
  readonly following: AssistantBlock | undefined
}

/**
 * Finds the started blocks that are a single block in the whole item. Some deltas name the wrong part, or a part that
 * does not exist.
 */
export function findStartedBlocks(
  block: AssistantBlock,
  { started, next, following }: StartedBlocks,
): readonly EmittedBlock[] {
  const first = started[next]
  if (first?.type !== block.type) return []
  const found = [first]
  const text = wordsOf(block)
  let length = text.startsWith(first.said) ? first.said.length : text.length
  for (let at = next + 1; at < started.length; at += 1) {
    const more = started[at]
    if (more?.type !== block.type) break
    // Text that belongs to no other block belongs to this one, even if a delta between the two is missing.
    const goesOn = more.said !== '' && text.startsWith(more.said, length)
    const isOfNext = following?.type === more.type && wordsOf(following).startsWith(more.said)
    if (following !== undefined && (!goesOn || isOfNext)) break
    found.push(more)
    length += more.said.length
  }
  return found
}

/** Emits blocks as events, numbered in the order in which they start. */
export class BlockEmitter {
  blockCount = 0
  readonly inspection: { hasToolCall: boolean; hasRefusal: boolean } = {
    hasToolCall: false,
    hasRefusal: false,
  }
  #events: ReplyEvent[] = []

  drain(): readonly ReplyEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  start(block: AssistantBlock): EmittedBlock {
    const emitted: EmittedBlock = { block: this.blockCount, type: block.type, said: '', citations: 0 }
    this.blockCount += 1
    if (block.type === 'tool-call') this.inspection.hasToolCall = true
    if (block.type === 'refusal') this.inspection.hasRefusal = true
    this.#events.push({ type: 'block-start', choice: 0, block: emitted.block, start: startOfBlock(block) })
    return emitted
  }

  emitText(emitted: EmittedBlock, text: string): void {
    if (text === '') return
    emitted.said += text
    const type = emitted.type === 'tool-call' ? 'tool-input-delta' : 'text-delta'
    this.#events.push({ type, choice: 0, block: emitted.block, text })
  }

  cite(emitted: EmittedBlock, citation: Citation): void {
    emitted.citations += 1
    this.#events.push({ type: 'citation-delta', choice: 0, block: emitted.block, citation })
  }

  /** Emits the missing rest of a whole block and ends its started blocks. The rest is added to the last of them. */
  complete(whole: AssistantBlock, begun: readonly EmittedBlock[]): void {
    const last = begun.at(-1) ?? this.start(whole)
    const text = wordsOf(whole)
    const said = begun.map((block) => block.said).join('')
    // If the whole text contradicts the deltas, the deltas win.
    if (text.startsWith(said)) this.emitText(last, text.slice(said.length))
    const citations = whole.type === 'text' ? (whole.citations ?? []) : []
    const cited = begun.reduce((sum, block) => sum + block.citations, 0)
    for (const citation of citations.slice(cited)) this.cite(last, citation)
    if (whole.type === 'thinking' && whole.signature !== undefined) {
      const { signature } = whole
      this.#events.push({ type: 'signature-delta', choice: 0, block: last.block, signature })
    }
    for (const block of begun.slice(0, -1)) this.end(block)
    this.end(last)
  }

  end({ block }: EmittedBlock): void {
    this.#events.push({ type: 'block-end', choice: 0, block })
  }
}

/** The text of a block that deltas carry. */
function wordsOf(block: AssistantBlock): string {
  if (block.type === 'tool-call') return block.input
  return block.type === 'text' || block.type === 'thinking' || block.type === 'refusal' ? block.text : ''
}
