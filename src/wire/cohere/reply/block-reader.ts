import type { BlockStart, ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { CharacterCounter, readCitations } from '../values/read-citation.ts'

interface OpenBlock {
  readonly block: number
  /** The block's position in the answer: `plan`, or the kind and index of a part or a call, such as `content 0`. */
  readonly position: string
  readonly type: 'text' | 'thinking' | 'tool-call'
  said: string
}

/**
 * Turns the parts and calls of one answer into blocks. A text stays open until another block starts, since its
 * citations may arrive after its end.
 */
export class BlockReader {
  hasCalls = false
  blockCount = 0
  readonly #events: ReplyEvent[]
  readonly #characters = new CharacterCounter()
  /** The open blocks by position. */
  readonly #open = new Map<string, OpenBlock>()
  /** The open blocks of text and thinking. There are few at a time, since each starts after the previous blocks end. */
  readonly #words = new Set<OpenBlock>()

  constructor(events: ReplyEvent[]) {
    this.#events = events
  }

  growPlan(text: JsonValue | undefined): void {
    if (typeof text === 'string') this.#grow('thinking', 'plan', text)
  }

  growContent(index: JsonValue | undefined, { type, text, thinking }: JsonObject): void {
    const isThinking = type === 'thinking' || typeof thinking === 'string'
    const said = isThinking ? thinking : text
    const position = `content ${scalarText(index)}`
    this.#grow(isThinking ? 'thinking' : 'text', position, typeof said === 'string' ? said : '')
  }

  startCall(index: JsonValue | undefined, call: JsonObject): void {
    const { name, arguments: input } = functionIn(call)
    const start = {
      type: 'tool-call',
      id: typeof call['id'] === 'string' ? call['id'] : `call_${this.blockCount}`,
      name: typeof name === 'string' ? name : '',
      kind: 'function',
    } as const
    this.hasCalls = true
    this.#start('tool-call', positionOfCall(index), start)
    if (typeof input === 'string') this.growCall(index, { function: { arguments: input } })
  }

  growCall(index: JsonValue | undefined, call: JsonObject): void {
    const { arguments: text } = functionIn(call)
    const open = this.#open.get(positionOfCall(index))
    if (open === undefined || typeof text !== 'string' || text === '') return
    this.#events.push({ type: 'tool-input-delta', choice: 0, block: open.block, text })
  }

  endCall(index: JsonValue | undefined): void {
    this.#end(this.#open.get(positionOfCall(index)))
  }

  /**
   * Adds a citation to its text. Citations of a plan or of thinking are skipped, since these blocks cannot have any.
   */
  cite(citation: JsonObject): void {
    const { content_index: index } = citation
    const open =
      typeof index === 'number'
        ? this.#open.get(`content ${index}`)
        : [...this.#words].find(({ type }) => type === 'text')
    if (open?.type !== 'text') return
    for (const read of readCitations(citation, open.said, this.#characters)) {
      this.#events.push({ type: 'citation-delta', choice: 0, block: open.block, citation: read })
    }
  }

  endAll(): void {
    for (const open of this.#open.values()) this.#end(open)
  }

  #grow(type: 'text' | 'thinking', position: string, text: string): void {
    const known = this.#open.get(position)
    const open = known?.type === type ? known : this.#start(type, position, { type })
    open.said += text
    if (text !== '') this.#events.push({ type: 'text-delta', choice: 0, block: open.block, text })
  }

  #start(type: OpenBlock['type'], position: string, start: BlockStart): OpenBlock {
    this.#end(this.#open.get(position))
    for (const words of this.#words) this.#end(words)
    const open: OpenBlock = { block: this.blockCount, position, type, said: '' }
    this.blockCount += 1
    this.#open.set(position, open)
    if (type !== 'tool-call') this.#words.add(open)
    const unsigned = type === 'thinking' ? { isUnsigned: true as const } : {}
    this.#events.push({ type: 'block-start', choice: 0, block: open.block, start, ...unsigned })
    return open
  }

  #end(open: OpenBlock | undefined): void {
    if (open === undefined) return
    this.#open.delete(open.position)
    this.#words.delete(open)
    this.#events.push({ type: 'block-end', choice: 0, block: open.block })
  }
}

function functionIn(call: JsonObject): JsonObject {
  return isJsonObject(call['function']) ? call['function'] : {}
}

function positionOfCall(index: JsonValue | undefined): string {
  return `call ${scalarText(index)}`
}
