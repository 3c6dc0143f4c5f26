import { hashText } from '../../../kit/bytes/hash.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import type { EmittedBlock } from './block-emitter.ts'

/** An item of the stream. The blocks of a message are by the number of their part; others have the block 0 alone. */
export interface StreamItem {
  /** The item as the stream first sent it. */
  readonly item: JsonObject
  /** The names by which it is known, of its start and of its end. */
  identities: readonly string[]
  readonly blocks: Map<number, EmittedBlock>
  /** The part of the last reasoning delta. */
  lastPart: string | undefined
  /** The content of the whole item, once its end was read. */
  content: string | undefined
}

/**
 * The items of one stream, found again by an event. The item's id decides, then the id of its call, then
 * `output_index`: some servers number every event alike, and some give each event another id.
 */
export class StreamItems {
  readonly all: StreamItem[] = []
  readonly #byId = new Map<string, StreamItem>()
  readonly #byIndex = new Map<number, StreamItem>()

  /** The item that an event with a whole or a starting item is about. */
  find(item: JsonObject, index: number): StreamItem | undefined {
    const known = identitiesOf(item)
      .map((id) => this.#byId.get(id))
      .find((found) => found !== undefined)
    if (known !== undefined) return known
    const there = this.#byIndex.get(index)
    return there !== undefined && mayBeSame(there, item) ? there : undefined
  }

  /** An end without an item ID at an unknown index ends the last open item of its kind. */
  findOfEnd(item: JsonObject, index: number): StreamItem | undefined {
    const found = this.find(item, index)
    if (found !== undefined || identitiesOf(item).length > 0) return found
    const last = this.all.at(-1)
    const isOpen = last?.content === undefined && last !== undefined && kindOf(last.item) === kindOf(item)
    return isOpen ? last : undefined
  }

  /** The item of this kind that a delta belongs to. */
  findOfDelta(event: JsonObject, index: number, kinds: readonly string[]): StreamItem | undefined {
    const { item_id: id } = event
    for (const kind of typeof id === 'string' && id !== '' ? kinds : []) {
      const known = this.#byId.get(`${kind} ${scalarText(id)}`)
      if (known !== undefined) return known
    }
    const there = this.#byIndex.get(index)
    return there !== undefined && kinds.includes(kindOf(there.item)) ? there : undefined
  }

  add(item: JsonObject, index: number): StreamItem {
    const identities = identitiesOf(item)
    const added: StreamItem = { item, identities, blocks: new Map(), lastPart: undefined, content: undefined }
    this.all.push(added)
    for (const id of identities) this.#byId.set(id, added)
    this.#byIndex.set(index, added)
    return added
  }

  /** The end of an item can name it otherwise than its start; the whole answer then has the names of its end. */
  nameAlso(known: StreamItem, item: JsonObject): void {
    const more = identitiesOf(item).filter((id) => !this.#byId.has(id))
    known.identities = [...known.identities, ...more]
    for (const id of more) this.#byId.set(id, known)
  }
}

export function kindOf(item: JsonObject): string {
  return typeof item['type'] === 'string' ? item['type'] : 'message'
}

/** The names by which an item is known again: its own id, and of a call the id that its result will name. */
export function identitiesOf(item: JsonObject): readonly string[] {
  const { id, call_id: callId } = item
  const kind = kindOf(item)
  return [
    ...(typeof id === 'string' && id !== '' ? [`${kind} ${id}`] : []),
    ...(typeof callId === 'string' && callId !== '' ? [`${kind} call ${callId}`] : []),
  ]
}

/** A digest of an item's content: two items with the same content are one where IDs do not decide. */
export function contentOf(item: JsonObject): string {
  return `${kindOf(item)} ${hashText(saidBy(item))}`
}

export function saidBy(item: JsonObject): string {
  const { name, arguments: args, input, summary, content } = item
  const called = typeof args === 'string' ? args : input
  if (typeof called === 'string') return `${scalarText(name)} ${called}`
  return [...textsOf(summary), ...textsOf(content)].join('\n\n').trim()
}

function textsOf(parts: JsonValue | undefined): readonly string[] {
  if (typeof parts === 'string') return [parts]
  if (!isJsonArray(parts)) return []
  return parts.flatMap((part) => {
    const text = isJsonObject(part) ? (part['text'] ?? part['refusal']) : undefined
    return typeof text === 'string' ? [text] : []
  })
}

/** Whether an item can be the one at a known index: of the same kind, and the same call. */
function mayBeSame({ item: before, content }: StreamItem, item: JsonObject): boolean {
  if (kindOf(before) !== kindOf(item)) return false
  const { call_id: call, id } = before
  const { call_id: itsCall, id: itsId } = item
  if (isName(call) && isName(itsCall)) return call === itsCall
  // One that is over is not started again under another name.
  return content === undefined || !(isName(id) && isName(itsId)) || id === itsId
}

function isName(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== ''
}
