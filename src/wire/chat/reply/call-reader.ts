import { createFailure } from '../../../canonical/failure.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { ObjectProgress } from '../../../kit/json/object-progress.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { toExtras } from '../values/extras.ts'
import type { EventList } from './event-list.ts'
import { deltaCustomFields, deltaFunctionFields, deltaToolCallFields } from './reply-fields.ts'

const deltaToolCall = knownFields(deltaToolCallFields)
const deltaFunction = knownFields(deltaFunctionFields)
const deltaCustom = knownFields(deltaCustomFields)

/** One entry of `tool_calls`, with the fields that were readable. */
interface CallPiece {
  readonly id: string
  readonly index: number | undefined
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly input: string
  readonly extras: JsonObject
}

interface CallReaderInput {
  readonly choice: number
  readonly reply: { readonly id: string }
  readonly events: EventList
  readonly startBlock: (start: BlockStart) => number
}

/** Reads the tool calls of one choice, whole or in pieces. */
export class CallReader {
  readonly #choice: number
  readonly #reply: { readonly id: string }
  readonly #events: EventList
  readonly #startBlock: (start: BlockStart) => number
  readonly #calls = new CallList()
  #last: CallState | undefined

  constructor({ choice, reply, events, startBlock }: CallReaderInput) {
    this.#choice = choice
    this.#reply = reply
    this.#events = events
    this.#startBlock = startBlock
  }

  get count(): number {
    return this.#calls.all.length
  }

  /** Reads `tool_calls`. In a whole answer each entry is a separate call. */
  read(value: JsonValue | undefined, isWhole: boolean): void {
    if (!isJsonArray(value)) return
    for (const item of value) {
      if (!isJsonObject(item)) continue
      const piece = readPiece(item)
      const existing = isWhole ? undefined : this.#find(piece)
      this.#readPiece(piece, existing ?? this.#calls.add(piece), isWhole)
    }
  }

  /** Reads the deprecated form, which is one call without an ID. Some servers send it empty with every answer. */
  readFunctionCall(value: JsonValue | undefined): void {
    if (!isJsonObject(value)) return
    const piece = readPiece({ function: value })
    if (piece.name === '' && piece.input === '') return
    this.#readPiece(piece, this.#last ?? this.#calls.add(piece), false)
  }

  /** Ends the calls whose input is complete. */
  endComplete(): void {
    for (const call of this.#calls.drainReady()) {
      if (isCompleteInput(call)) this.#end(call)
    }
  }

  /** Starts the calls for which no name arrived. */
  startAll(): void {
    for (const call of this.#calls.all) {
      if (call.block === undefined) this.#start(call, { id: '', name: '' })
    }
  }

  endAll(): void {
    for (const call of this.#calls.all) this.#end(call)
  }

  /**
   * Finds the call that a piece continues. Servers differ in what marks a new call: its index, its ID, or neither. Some
   * give every call index 0, some repeat ID and name with each piece, some use one ID for all calls.
   */
  #find(piece: CallPiece): CallState | undefined {
    const { id, index } = piece
    const last =
      id !== ''
        ? this.#calls.lastOfId(id, index)
        : index === undefined
          ? this.#last
          : this.#calls.lastOfIndex(index)
    return last !== undefined && isAnother(last, piece) ? undefined : last
  }

  /**
   * Adds a piece to its call. A call starts when its name is known, and input that arrived earlier follows its start.
   */
  #readPiece(piece: CallPiece, call: CallState, isWhole: boolean): void {
    this.#last = call
    if (call.isEnded) {
      if (piece.input.trim() !== '') this.#events.fail(createFailure('upstream_bad_response'))
      return
    }
    // A call in a whole answer is complete, even if its input is not valid JSON.
    if (isWhole) call.input.text = piece.input
    else this.#calls.grow(call, piece.input)
    if (call.block !== undefined) {
      this.#emitInput(call, piece.input)
      return
    }
    for (const [name, value] of Object.entries(piece.extras)) {
      if (value !== undefined) call.extras.set(name, value)
    }
    if (piece.name !== '' || isWhole) this.#start(call, piece)
  }

  #start(call: CallState, { id, name }: { readonly id: string; readonly name: string }): void {
    call.block = this.#startBlock(
      omitUndefined({
        type: 'tool-call' as const,
        id: this.#uniqueId(call, call.id === '' ? id : call.id),
        name,
        kind: call.kind,
        ...toExtras(Object.fromEntries(call.extras)),
      }),
    )
    this.#calls.markReady(call)
    this.#emitInput(call, call.input.text)
  }

  #emitInput(call: CallState, text: string): void {
    if (text === '' || call.block === undefined) return
    this.#events.push({ type: 'tool-input-delta', choice: this.#choice, block: call.block, text })
  }

  #end(call: CallState): void {
    if (call.isEnded || call.block === undefined) return
    call.isEnded = true
    this.#events.push({ type: 'block-end', choice: this.#choice, block: call.block })
  }

  /**
   * Results name their call only by its ID. An ID that is missing or already used is replaced by one made from the
   * answer's own ID or from the repeated ID.
   */
  #uniqueId(call: CallState, id: string): string {
    if (id !== '' && !this.#calls.isUsedBefore(id, call)) return id
    const source = (id === '' ? this.#reply.id : id).replaceAll(/[^\w-]/g, '_')
    return ['call', source, this.#choice, call.position].filter((part) => part !== '').join('_')
  }
}

function readPiece(item: JsonObject): CallPiece {
  const isCustom =
    item['type'] === 'custom' || (isJsonObject(item['custom']) && !isJsonObject(item['function']))
  const kind = isCustom ? 'custom' : 'function'
  const holder = item[kind]
  const inner: JsonObject = isJsonObject(holder) ? holder : {}
  const { id, index } = item
  const leftovers = toExtras(leftoversOf(item, deltaToolCall), {
    [kind]: leftoversOf(inner, isCustom ? deltaCustom : deltaFunction),
  })
  return {
    id: typeof id === 'string' ? id : typeof id === 'number' ? String(id) : '',
    index: typeof index === 'number' ? index : undefined,
    kind,
    name: typeof inner['name'] === 'string' ? inner['name'] : '',
    input: inputText(inner[isCustom ? 'input' : 'arguments']),
    extras: leftovers.extras?.fields ?? {},
  }
}

/** Some servers send arguments as an object instead of JSON text. */
function inputText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/**
 * Whether the piece begins another call. A name and input after a complete input do, since the joined inputs would not
 * be valid JSON.
 */
function isAnother(call: CallState, piece: CallPiece): boolean {
  return piece.name !== '' && piece.input.trim() !== '' && isCompleteInput(call)
}

/**
 * Whether the input is complete, which means that it is a whole JSON object. Free text is never known to be complete.
 */
function isCompleteInput(call: CallState): boolean {
  return call.kind === 'function' && call.input.isWhole
}

interface CallState {
  /** The ID from the upstream; empty where it sent none. */
  readonly id: string
  readonly index: number | undefined
  /** The call's number among the calls of the choice. */
  readonly position: number
  readonly kind: 'function' | 'custom'
  /** The number of the call's block; undefined until the call's name is known. */
  block: number | undefined
  /** All of the input so far, emitted or not. */
  readonly input: ObjectProgress
  isEnded: boolean
  /** Fields of the call that only this format has. */
  readonly extras: Map<string, JsonValue>
}

/** The values that distinguish calls, as far as a server sends them. An empty ID matches no call. */
type CallNames = Pick<CallState, 'id' | 'index' | 'kind'>

/** The calls of one choice, and their lookup by index and ID. */
class CallList {
  readonly all: CallState[] = []
  #ready: CallState[] = []
  readonly #first = new Map<string, CallState>()
  readonly #last = new Map<string, CallState>()
  readonly #lastOfIndex = new Map<number, CallState>()
  readonly #lastOfBoth = new Map<string, CallState>()

  add({ id, index, kind }: CallNames): CallState {
    const input = new ObjectProgress()
    const position = this.all.length
    const call: CallState = {
      id,
      index,
      kind,
      position,
      block: undefined,
      input,
      isEnded: false,
      extras: new Map(),
    }
    this.all.push(call)
    if (!this.#first.has(id)) this.#first.set(id, call)
    this.#last.set(id, call)
    if (index !== undefined) this.#lastOfIndex.set(index, call)
    this.#lastOfBoth.set(nameOf(index, id), call)
    return call
  }

  lastOfIndex(index: number): CallState | undefined {
    return this.#lastOfIndex.get(index)
  }

  /** The last call that has this ID or no ID, and this index where one is given. */
  lastOfId(id: string, index: number | undefined): CallState | undefined {
    const find = (name: string) =>
      index === undefined ? this.#last.get(name) : this.#lastOfBoth.get(nameOf(index, name))
    const [named, nameless] = [find(id), find('')]
    if (named === undefined || nameless === undefined) return named ?? nameless
    return named.position > nameless.position ? named : nameless
  }

  /** Whether an earlier call uses this ID. */
  isUsedBefore(id: string, call: CallState): boolean {
    const first = this.#first.get(id)
    return first !== undefined && first.position < call.position
  }

  /** Adds to a call's input. */
  grow(call: CallState, text: string): void {
    if (text === '') return
    call.input.push(text)
    this.markReady(call)
  }

  /** Marks a call as ready. Must also be called when a call has its block. */
  markReady(call: CallState): void {
    if (call.block !== undefined && call.kind === 'function' && call.input.isClosed) this.#ready.push(call)
  }

  /** Returns, in their order, the calls whose input may have become complete since the last call of this method. */
  drainReady(): readonly CallState[] {
    const ready = this.#ready
    if (ready.length === 0) return ready
    this.#ready = []
    return ready.toSorted((a, b) => a.position - b.position)
  }
}

function nameOf(index: number | undefined, id: string): string {
  return `${index} ${id}`
}
