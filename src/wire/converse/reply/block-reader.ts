import type { BlockStart, ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { brokenStream } from '../../errors/broken-stream.ts'
import { parseToolInput } from '../../tools/parse-tool-input.ts'
import { readCitation } from '../values/read-citation.ts'
import { joinRedacted } from '../values/reasoning-content.ts'

const none: readonly ReplyEvent[] = []

/** An open block of a stream. For most kinds, the first delta shows the kind, so the block starts with that delta. */
interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'tool-call' | 'redacted-thinking' | 'opaque'
  /** The block's number in the answer. Undefined for a block that is emitted whole when it ends. */
  readonly block: number | undefined
  /** The text so far of a call's input, or of the input of a tool that the provider runs. */
  text: string
  hasInput: boolean
  /** The start of an opaque block. */
  readonly start: JsonObject
  /** The members that deltas added to an opaque block, or the pieces of redacted reasoning. */
  readonly parts: JsonValue[]
}

/** Turns the blocks of one answer into events. Throws `GatewayError` if the blocks violate the format. */
export class BlockReader {
  readonly #open = new Map<number, OpenBlock>()
  #nextBlock = 0

  start(index: number, start: JsonObject): readonly ReplyEvent[] {
    const before = this.stop(index)
    const { toolUse } = start
    if (isJsonObject(toolUse) && (toolUse['type'] ?? 'tool_use') === 'tool_use') {
      const { toolUseId: id, name } = toolUse
      if (typeof id !== 'string' || typeof name !== 'string')
        throw brokenStream('a call without a name or an id')
      return [...before, ...this.#begin(index, { type: 'tool-call', id, name, kind: 'function' })]
    }
    this.#open.set(index, openBlock('opaque', undefined, start))
    return before
  }

  delta(index: number, delta: JsonObject): readonly ReplyEvent[] {
    const open = this.#open.get(index)
    if (open?.kind === 'opaque') return growOpaque(open, delta)
    const { text, reasoningContent, toolUse, citation } = delta
    if (typeof text === 'string') return this.#addText(index, text)
    if (isJsonObject(citation)) return this.#addCitation(index, citation)
    if (isJsonObject(reasoningContent)) return this.#addReasoning(index, reasoningContent)
    if (isJsonObject(toolUse)) return this.#addInput(index, toolUse['input'])
    return open === undefined ? this.start(index, delta) : none
  }

  /** Ends a block. Does nothing if no block with this index is open, since an empty block never starts. */
  stop(index: number): readonly ReplyEvent[] {
    const open = this.#open.get(index)
    if (open === undefined) return none
    this.#open.delete(index)
    return this.#end(open)
  }

  endAll(): readonly ReplyEvent[] {
    return [...this.#open.keys()].flatMap((index) => this.stop(index))
  }

  #begin(index: number, start: BlockStart & { readonly type: 'text' | 'thinking' | 'tool-call' }) {
    const block = this.#nextBlock
    this.#nextBlock += 1
    this.#open.set(index, openBlock(start.type, block, {}))
    return [{ type: 'block-start', choice: 0, block, start } as const]
  }

  /** Returns the open block of this kind, or a new block with the events that start it. */
  #reach(index: number, kind: 'text' | 'thinking') {
    const open = this.#open.get(index)
    if (open?.kind === kind) return { block: open.block ?? 0, events: none }
    if (open !== undefined) throw brokenStream('a part that its block cannot have')
    const events = this.#begin(index, { type: kind })
    return { block: this.#nextBlock - 1, events }
  }

  #addText(index: number, text: string): readonly ReplyEvent[] {
    if (text === '') return none
    const { block, events } = this.#reach(index, 'text')
    return [...events, { type: 'text-delta', choice: 0, block, text }]
  }

  #addCitation(index: number, citation: JsonObject): readonly ReplyEvent[] {
    const { block, events } = this.#reach(index, 'text')
    return [...events, { type: 'citation-delta', choice: 0, block, citation: readCitation(citation) }]
  }

  #addReasoning(index: number, reasoning: JsonObject): readonly ReplyEvent[] {
    const { text, redactedContent } = reasoning
    if (typeof redactedContent === 'string') {
      const open = this.#open.get(index) ?? openBlock('redacted-thinking', undefined, {})
      if (open.kind !== 'redacted-thinking') throw brokenStream('a part that its block cannot have')
      open.parts.push(redactedContent)
      this.#open.set(index, open)
      return none
    }
    const said = typeof text === 'string' ? text : ''
    const signature = typeof reasoning['signature'] === 'string' ? reasoning['signature'] : ''
    if (said === '' && signature === '') return none
    const { block, events } = this.#reach(index, 'thinking')
    const position = { choice: 0, block }
    return [
      ...events,
      ...(said === '' ? none : [{ type: 'text-delta', ...position, text: said } as const]),
      ...(signature === '' ? none : [{ type: 'signature-delta', ...position, signature } as const]),
    ]
  }

  #addInput(index: number, input: JsonValue | undefined): readonly ReplyEvent[] {
    const open = this.#open.get(index)
    if (open?.kind !== 'tool-call') throw brokenStream('a part of a call that is not open')
    if (typeof input !== 'string' || input === '') return none
    open.hasInput = true
    return [{ type: 'tool-input-delta', choice: 0, block: open.block ?? 0, text: input }]
  }

  #end({ kind, block, text, hasInput, start, parts }: OpenBlock): readonly ReplyEvent[] {
    if (block !== undefined) {
      const position = { choice: 0, block }
      const end = { type: 'block-end', ...position } as const
      return kind === 'tool-call' && !hasInput
        ? [{ type: 'tool-input-delta', ...position, text: '{}' }, end]
        : [end]
    }
    const whole = this.#nextBlock
    this.#nextBlock += 1
    const position = { choice: 0, block: whole }
    const given: BlockStart =
      kind === 'redacted-thinking'
        ? { type: kind, data: joinRedacted(parts.filter((part) => typeof part === 'string')) }
        : { type: 'opaque', format: 'converse', value: closeOpaque(start, text, parts) }
    return [
      { type: 'block-start', ...position, start: given },
      { type: 'block-end', ...position },
    ]
  }
}

function openBlock(kind: OpenBlock['kind'], block: number | undefined, start: JsonObject): OpenBlock {
  return { kind, block, text: '', hasInput: false, start, parts: [] }
}

/** Adds a delta to a tool that the provider runs. Its input arrives as text, and its result as lists of parts. */
function growOpaque(open: OpenBlock, delta: JsonObject): readonly ReplyEvent[] {
  const { toolUse, toolResult } = delta
  if (isJsonObject(toolUse) && typeof toolUse['input'] === 'string') open.text += toolUse['input']
  else if (isJsonArray(toolResult)) for (const part of toolResult) open.parts.push(part)
  else open.parts.push(delta)
  return none
}

function closeOpaque(start: JsonObject, text: string, parts: readonly JsonValue[]): JsonObject {
  const [[name, value] = ['', undefined]] = Object.entries(start)
  if (!isJsonObject(value) || (text === '' && parts.length === 0)) return start
  // The deltas of an image are the other members of its block.
  if (name === 'image') return { image: Object.assign({}, value, ...parts.map(imageOf)) }
  const input = text === '' ? {} : { input: parseToolInput(text) }
  return { [name]: { ...value, ...input, ...(parts.length === 0 ? {} : { content: parts }) } }
}

function imageOf(part: JsonValue): JsonObject {
  const image = isJsonObject(part) ? part['image'] : undefined
  return isJsonObject(image) ? image : {}
}
