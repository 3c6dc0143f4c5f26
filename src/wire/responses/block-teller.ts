import type { AssistantBlock, Citation } from '../../canonical/content.ts'
import type { BlockStart, ReplyEvent } from '../../canonical/reply-event.ts'
import type { AnswerSight } from './stop-reason.ts'

/** A block that was started, and how much of it was told. */
export interface ToldBlock {
  readonly block: number
  readonly type: AssistantBlock['type']
  said: string
  citations: number
}

/** Tells blocks as events, numbered in the order in which they start. */
export class BlockTeller {
  blockCount = 0
  readonly sight: AnswerSight = { hasToolCall: false, hasRefusal: false }
  #events: ReplyEvent[] = []

  takeEvents(): readonly ReplyEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  start(block: AssistantBlock): ToldBlock {
    const told: ToldBlock = { block: this.blockCount, type: block.type, said: '', citations: 0 }
    this.blockCount += 1
    if (block.type === 'tool-call') this.sight.hasToolCall = true
    if (block.type === 'refusal') this.sight.hasRefusal = true
    this.#events.push({ type: 'block-start', choice: 0, block: told.block, start: startOf(block) })
    return told
  }

  say(told: ToldBlock, text: string): void {
    if (text === '') return
    told.said += text
    const type = told.type === 'tool-call' ? 'tool-input-delta' : 'text-delta'
    this.#events.push({ type, choice: 0, block: told.block, text })
  }

  cite(told: ToldBlock, citation: Citation): void {
    told.citations += 1
    this.#events.push({ type: 'citation-delta', choice: 0, block: told.block, citation })
  }

  /** Tells what of the whole block was not told yet, and ends it. */
  complete(told: ToldBlock, whole: AssistantBlock): void {
    const text = textOf(whole)
    // Where the whole says something else, what was told stands.
    if (text.startsWith(told.said)) this.say(told, text.slice(told.said.length))
    const citations = whole.type === 'text' ? (whole.citations ?? []) : []
    for (const citation of citations.slice(told.citations)) this.cite(told, citation)
    if (whole.type === 'thinking' && whole.signature !== undefined) {
      const { signature } = whole
      this.#events.push({ type: 'signature-delta', choice: 0, block: told.block, signature })
    }
    this.end(told)
  }

  end({ block }: ToldBlock): void {
    this.#events.push({ type: 'block-end', choice: 0, block })
  }
}

function textOf(block: AssistantBlock): string {
  if (block.type === 'tool-call') return block.input
  return block.type === 'text' || block.type === 'thinking' || block.type === 'refusal' ? block.text : ''
}

function startOf(block: AssistantBlock): BlockStart {
  const extras = 'extras' in block && block.extras !== undefined ? { extras: block.extras } : {}
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return { type: block.type, ...extras }
    case 'tool-call':
      return { type: block.type, id: block.id, name: block.name, kind: block.kind, ...extras }
    default:
      return block
  }
}
