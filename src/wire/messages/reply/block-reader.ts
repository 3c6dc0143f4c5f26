import { UNSIGNED } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { BlockStart, ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { NamedValues } from '../../../kit/json/named-values.ts'
import { brokenStream } from '../../errors/broken-stream.ts'
import { parseToolInput } from '../../tools/parse-tool-input.ts'
import { readAssistantBlock } from '../blocks/read-block.ts'
import { readCitation } from '../values/read-citation.ts'

interface OpenBlock {
  readonly index: number
  readonly block: AssistantBlock
  /** The call's input so far. Needed for opaque blocks, which are emitted as a whole when they end. */
  inputText: string
  hasInput: boolean
  /** The value so far of an opaque block. */
  readonly value: NamedValues
}

const none: readonly ReplyEvent[] = []

/** Reads the blocks of one stream. Throws `GatewayError` if the stream violates the format. */
export class BlockReader {
  readonly #open = new Map<number, OpenBlock>()
  #nextIndex = 0
  /** The index of the open opaque block, if the last block was opaque. At most one is open at a time. */
  #lastOpaque: number | undefined
  /** The frame that started the last block, to recognize a repeated frame. */
  #lastStart = ''

  start(frame: JsonObject, text: string): readonly ReplyEvent[] {
    const nextIndex = this.#nextIndex
    // A relay may repeat an event.
    if (frame['index'] === nextIndex - 1 && text === this.#lastStart) return none
    if (frame['index'] !== nextIndex) throw brokenStream('a block out of its order')
    const block = readAssistantBlock(withDefaults(frame['content_block']), `content.${nextIndex}`)
    const opened = openBlock(nextIndex, block)
    const events = [...this.#endOpaque(), ...startBlock(opened)]
    this.#open.set(nextIndex, opened)
    this.#lastOpaque = block.type === 'opaque' ? nextIndex : undefined
    this.#nextIndex += 1
    this.#lastStart = text
    return events
  }

  delta(frame: JsonObject): readonly ReplyEvent[] {
    const block = this.#open.get(numberOf(frame['index']))
    if (block === undefined) throw brokenStream('a part of a block that is not open')
    return readDelta(block, isJsonObject(frame['delta']) ? frame['delta'] : {})
  }

  stop(frame: JsonObject): readonly ReplyEvent[] {
    const index = numberOf(frame['index'])
    const block = this.#open.get(index)
    if (block === undefined) {
      if (index >= 0 && index < this.#nextIndex) return none
      throw brokenStream('the end of a block that never began')
    }
    this.#open.delete(index)
    return endBlock(block)
  }

  /** Ends all open blocks. */
  endAll(): readonly ReplyEvent[] {
    const events = [...this.#open.values()].flatMap(endBlock)
    this.#open.clear()
    return events
  }

  /** Emits the open opaque block. It ends at the latest when the next block starts. */
  #endOpaque(): readonly ReplyEvent[] {
    const block = this.#lastOpaque === undefined ? undefined : this.#open.get(this.#lastOpaque)
    if (block === undefined) return none
    this.#open.delete(block.index)
    return endBlock(block)
  }
}

function openBlock(index: number, block: AssistantBlock): OpenBlock {
  const value = new NamedValues()
  if (block.type === 'opaque') value.add(block.value)
  return { index, block, value, inputText: '', hasInput: false }
}

/** Adds empty defaults for fields that a block's start may leave out because its deltas contain them. */
function withDefaults(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) return {}
  switch (value['type']) {
    case 'text':
      return { ...value, text: value['text'] ?? '' }
    case 'thinking':
      return { ...value, thinking: value['thinking'] ?? '' }
    case 'tool_use':
      return { ...value, input: value['input'] ?? {} }
    default:
      return value
  }
}

function startBlock({ index, block }: OpenBlock): readonly ReplyEvent[] {
  const position = { choice: 0, block: index }
  switch (block.type) {
    case 'text': {
      const citations = block.citations ?? []
      return [
        startEvent(index, { type: 'text', ...extrasOf(block) }),
        ...textEvents(index, block.text),
        ...citations.map((citation): ReplyEvent => ({ type: 'citation-delta', ...position, citation })),
      ]
    }
    case 'thinking':
      return [
        startEvent(index, { type: 'thinking', ...extrasOf(block) }),
        ...textEvents(index, block.text),
        ...signatureEvents(index, block.signature),
      ]
    case 'tool-call': {
      const { type, id, name, kind } = block
      return [startEvent(index, { type, id, name, kind, ...extrasOf(block) })]
    }
    case 'opaque':
      return none
    case 'refusal':
      return [startEvent(index, { type: 'refusal' })]
    default:
      return [startEvent(index, block)]
  }
}

function readDelta(open: OpenBlock, delta: JsonObject): readonly ReplyEvent[] {
  if (open.block.type === 'opaque') return growOpaque(open, delta)
  const position = { choice: 0, block: open.index }
  switch (delta['type']) {
    case 'text_delta':
      return textEvents(open.index, partOf(open, 'text', delta['text']))
    case 'thinking_delta':
      return textEvents(open.index, partOf(open, 'thinking', delta['thinking']))
    case 'signature_delta':
      return signatureEvents(open.index, partOf(open, 'thinking', delta['signature']))
    case 'input_json_delta': {
      const text = partOf(open, 'tool-call', delta['partial_json'])
      if (text === '') return none
      open.hasInput = true
      return [{ type: 'tool-input-delta', ...position, text }]
    }
    case 'citations_delta': {
      if (open.block.type !== 'text' || !isJsonObject(delta['citation']))
        throw brokenStream('a citation out of place')
      return [{ type: 'citation-delta', ...position, citation: readCitation(delta['citation']) }]
    }
    default:
      return none
  }
}

/** The text of a delta. Throws `GatewayError` if a block of this kind cannot have such a delta. */
function partOf(open: OpenBlock, kind: AssistantBlock['type'], part: JsonValue | undefined): string {
  if (open.block.type === kind && typeof part === 'string') return part
  throw brokenStream('a part that its block cannot have')
}

/** A delta of an unknown kind, such as that of a compaction, carries the final values of its block. */
function growOpaque(open: OpenBlock, delta: JsonObject): readonly ReplyEvent[] {
  const { type, ...fields } = delta
  if (type === 'input_json_delta') {
    if (typeof fields['partial_json'] === 'string') open.inputText += fields['partial_json']
  } else {
    open.value.add(fields)
  }
  return none
}

function endBlock(open: OpenBlock): readonly ReplyEvent[] {
  const position = { choice: 0, block: open.index }
  const end: ReplyEvent = { type: 'block-end', ...position }
  if (open.block.type === 'opaque') {
    if (open.inputText !== '') open.value.set('input', parseToolInput(open.inputText))
    const value = open.value.fields
    return [startEvent(open.index, { ...open.block, value }), end]
  }
  // A call without input deltas has the input from its start, usually the empty object.
  if (open.block.type !== 'tool-call' || open.hasInput) return [end]
  return [{ type: 'tool-input-delta', ...position, text: open.block.input }, end]
}

function startEvent(index: number, start: BlockStart): ReplyEvent {
  return { type: 'block-start', choice: 0, block: index, start }
}

function textEvents(index: number, text: string): readonly ReplyEvent[] {
  return text === '' ? none : [{ type: 'text-delta', choice: 0, block: index, text }]
}

function signatureEvents(index: number, signature: string | undefined): readonly ReplyEvent[] {
  if (signature === undefined || signature === '' || signature === UNSIGNED) return none
  return [{ type: 'signature-delta', choice: 0, block: index, signature }]
}

function extrasOf({ extras }: { readonly extras?: Extras }): { readonly extras?: Extras } {
  return extras === undefined ? {} : { extras }
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : -1
}
