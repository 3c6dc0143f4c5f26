import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
} from '../../../kit/json/json.ts'

type DraftValue = Draft | JsonPrimitive
type Draft = DraftObject | DraftValue[]
interface DraftObject {
  [name: string]: DraftValue
}

const MAX_DEPTH = 64
/** The largest index in a list. It is above that of any real call, so a larger index is an error. */
const MAX_INDEX = 10_000
const PATH_STEP = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g

/**
 * The arguments of a call that arrive in pieces, each with its JSON path: `$.operations[0].action`. A piece of text
 * continues the text before it
 * (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling,
 * `streamFunctionCallArguments`, and recordings of 2026).
 */
export class PartialCall {
  readonly id: string
  readonly name: string
  readonly #args: DraftObject = {}
  #isCut = false

  constructor(id: string, name: string) {
    this.id = id
    this.name = name
  }

  /** Adds pieces. Returns false if a piece has a path that no arguments can have. */
  add(pieces: JsonValue | undefined): boolean {
    if (!isJsonArray(pieces)) return true
    return pieces.every((piece) => isJsonObject(piece) && this.#put(piece))
  }

  /**
   * Marks the call as cut: its last pieces never arrived. Its input then lacks the last brace, so that no client takes
   * half of the arguments for all of them.
   */
  cut(): void {
    this.#isCut = true
  }

  get input(): string {
    const input = JSON.stringify(this.#args)
    return this.#isCut ? input.slice(0, -1) : input
  }

  #put(piece: JsonObject): boolean {
    const steps = readPath(piece['jsonPath'])
    if (steps === undefined) return false
    let node: Draft = this.#args
    for (const [depth, step] of steps.slice(0, -1).entries()) {
      const next = openNode(node, step, typeof steps[depth + 1] === 'number')
      if (next === undefined) return false
      node = next
    }
    return setValue(node, steps.at(-1) ?? '', piece)
  }
}

type Step = string | number

function readPath(path: JsonValue | undefined): readonly Step[] | undefined {
  if (typeof path !== 'string' || !path.startsWith('$')) return undefined
  const steps: Step[] = []
  let at = 1
  for (const { 0: whole, 1: name, 2: index, 3: quoted, 4: doubled, index: from } of path.matchAll(
    PATH_STEP,
  )) {
    if (from !== at) return undefined
    at += whole.length
    steps.push(index === undefined ? (name ?? quoted ?? doubled ?? '') : Number(index))
  }
  const isWhole = at === path.length && steps.length > 0 && steps.length <= MAX_DEPTH
  return isWhole && !steps.includes('__proto__') ? steps : undefined
}

function openNode(node: Draft, step: Step, isList: boolean): Draft | undefined {
  const known = valueAt(node, step)
  if (isDraft(known)) return Array.isArray(known) === isList ? known : undefined
  if (known !== undefined) return undefined
  const opened: Draft = isList ? [] : {}
  return putAt(node, step, opened) ? opened : undefined
}

function isDraft(value: DraftValue | undefined): value is Draft {
  return typeof value === 'object' && value !== null
}

function valueAt(node: Draft, step: Step): DraftValue | undefined {
  if (Array.isArray(node)) return typeof step === 'number' ? node[step] : undefined
  return Object.hasOwn(node, step) ? node[step] : undefined
}

function putAt(node: Draft, step: Step, value: DraftValue): boolean {
  if (!Array.isArray(node)) {
    node[step] = value
    return true
  }
  if (typeof step !== 'number' || step > MAX_INDEX || step > node.length) return false
  node.splice(step, 1, value)
  return true
}

function setValue(node: Draft, step: Step, piece: JsonObject): boolean {
  const { stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') {
    const before = valueAt(node, step)
    return putAt(node, step, (typeof before === 'string' ? before : '') + stringValue)
  }
  if (typeof numberValue === 'number') return putAt(node, step, numberValue)
  if (typeof boolValue === 'boolean') return putAt(node, step, boolValue)
  return 'nullValue' in piece ? putAt(node, step, null) : true
}
