import type { JsonValue } from '../../../kit/json/json.ts'
import { ObjectProgress } from '../../../kit/json/object-progress.ts'

export interface CallState {
  /** As the upstream gave it; empty where it gave none. */
  readonly id: string
  readonly index: number | undefined
  /** Its number among the calls of the choice. */
  readonly position: number
  readonly kind: 'function' | 'custom'
  /** Undefined until its name is known. */
  block: number | undefined
  /** All of the input so far, told or not. */
  readonly input: ObjectProgress
  isEnded: boolean
  /** Fields of the call that only this format knows. */
  readonly extras: Map<string, JsonValue>
}

/** What tells one call from another, as far as a server says it; an empty id is none. */
export type CallNames = Pick<CallState, 'id' | 'index' | 'kind'>

/** The calls of one choice, found by their index and id. */
export class CallList {
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

  /** The last that has this id or none; of this index, where one is given. */
  lastOfId(id: string, index: number | undefined): CallState | undefined {
    const find = (name: string) =>
      index === undefined ? this.#last.get(name) : this.#lastOfBoth.get(nameOf(index, name))
    const [named, nameless] = [find(id), find('')]
    if (named === undefined || nameless === undefined) return named ?? nameless
    return named.position > nameless.position ? named : nameless
  }

  /** Whether a call before this one was given the id. */
  isTaken(id: string, call: CallState): boolean {
    const first = this.#first.get(id)
    return first !== undefined && first.position < call.position
  }

  /** More of a call's input. */
  grow(call: CallState, text: string): void {
    if (text === '') return
    call.input.push(text)
    this.noteReady(call)
  }

  /** To be called as well once a call has its block. */
  noteReady(call: CallState): void {
    if (call.block !== undefined && call.kind === 'function' && call.input.isClosed) this.#ready.push(call)
  }

  /** The calls whose input may have become complete since this was last asked, in their order. */
  takeReady(): readonly CallState[] {
    const ready = this.#ready
    if (ready.length === 0) return ready
    this.#ready = []
    return ready.toSorted((a, b) => a.position - b.position)
  }
}

function nameOf(index: number | undefined, id: string): string {
  return `${index} ${id}`
}
