import type { JsonObject } from '../../../kit/json/json.ts'

/** An event of a stream: its type and its payload. */
export type ConverseEvent = readonly [type: string, payload: JsonObject]

interface QueuedBlock {
  /** The events that wait until the preceding blocks end. Events of the first block are emitted at once. */
  readonly waiting: Omit<QueuedPart, 'block'>[]
  /** The block's index among the emitted blocks. Undefined before its first event. */
  index: number | undefined
  isEnded: boolean
}

interface QueuedPart {
  readonly block: number
  readonly type: 'contentBlockStart' | 'contentBlockDelta'
  readonly payload: JsonObject
}

/**
 * Emits blocks one after the other. Blocks of this format never overlap, while parallel calls of other formats grow
 * side by side. A block gets its index with its first event, so that the indexes have no gap.
 */
export class BlockQueue {
  readonly #blocks = new Map<number, QueuedBlock>()
  #nextIndex = 0

  open(block: number): void {
    this.#blocks.set(block, { waiting: [], index: undefined, isEnded: false })
  }

  add({ block, ...part }: QueuedPart): readonly ConverseEvent[] {
    const queued = this.#blocks.get(block)
    if (queued === undefined) return []
    if (queued !== this.#first) {
      queued.waiting.push(part)
      return []
    }
    return [this.#write(queued, part)]
  }

  end(block: number): readonly ConverseEvent[] {
    const queued = this.#blocks.get(block)
    if (queued !== undefined) queued.isEnded = true
    return this.#advance()
  }

  endAll(): readonly ConverseEvent[] {
    for (const queued of this.#blocks.values()) queued.isEnded = true
    return this.#advance()
  }

  get #first(): QueuedBlock | undefined {
    return this.#blocks.values().next().value
  }

  /** Emits the waiting events, up to and including those of the first block that has not ended. */
  #advance(): readonly ConverseEvent[] {
    const events: ConverseEvent[] = []
    for (const [block, queued] of this.#blocks) {
      for (const part of queued.waiting) events.push(this.#write(queued, part))
      queued.waiting.length = 0
      if (!queued.isEnded) break
      this.#blocks.delete(block)
      if (queued.index !== undefined) events.push(['contentBlockStop', { contentBlockIndex: queued.index }])
    }
    return events
  }

  #write(queued: QueuedBlock, { type, payload }: Omit<QueuedPart, 'block'>): ConverseEvent {
    if (queued.index === undefined) {
      queued.index = this.#nextIndex
      this.#nextIndex += 1
    }
    return [type, { contentBlockIndex: queued.index, ...payload }]
  }
}
