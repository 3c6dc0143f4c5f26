import { hashText } from '../../../kit/bytes/hash.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import type { EmittedBlock } from './block-emitter.ts'

/** An item of the stream. The blocks of a message have the numbers of its parts. Other items have only block 0. */
export interface StreamItem {
  /** The item as the stream first sent it. */
  readonly item: JsonObject
  /** The names that identify the item, from its start and its end event. */
  identities: readonly string[]
  readonly blocks: Map<number, EmittedBlock>
  /** The part that the last reasoning delta belonged to. */
  lastPart: string | undefined
  /** The digest of the whole item's content; undefined until its end was read. */
  content: string | undefined
}

/**
 * The items of one stream, and the lookup of the item that an event belongs to. The item's ID decides, then the ID of
 * its call, then `output_index`. Some servers send the same index in every event, and some give every event another ID.
 */
export class StreamItems {
  readonly all: StreamItem[] = []
  readonly #byId = new Map<string, StreamItem>()
  readonly #byIndex = new Map<number, StreamItem>()

  /** Finds the item of an event that contains a whole or a starting item. */
  find(item: JsonObject, index: number): StreamItem | undefined {
    const known = identitiesOf(item)
      .map((id) => this.#byId.get(id))
      .find((found) => found !== undefined)
    if (known !== undefined) return known
    const there = this.#byIndex.get(index)
    return there !== undefined && mayBeSame(there, item) ? there : undefined
  }

  /**
   * Finds the item that an end event belongs to. An end event without an item ID at an unknown index ends the last open
   * item of its kind.
   */
  findOfEnd(item: JsonObject, index: number): StreamItem | undefined {
    const found = this.find(item, index)
    if (found !== undefined || identitiesOf(item).length > 0) return found
    const last = this.all.at(-1)
    const isOpen = last?.content === undefined && last !== undefined && kindOf(last.item) === kindOf(item)
    return isOpen ? last : undefined
  }

  /** Finds the item of these kinds that a delta belongs to. An item that started without an ID takes the delta's. */
  findOfDelta(event: JsonObject, index: number, kinds: readonly string[]): StreamItem | undefined {
    const { item_id: id } = event
    for (const kind of typeof id === 'string' && id !== '' ? kinds : []) {
      const known = this.#byId.get(`${kind} ${scalarText(id)}`)
      if (known !== undefined) return known
    }
    const there = this.#byIndex.get(index)
    if (there === undefined || !kinds.includes(kindOf(there.item))) return undefined
    if (!isName(there.item['id']) && isName(id)) this.nameAlso(there, { type: kindOf(there.item), id })
    return there
  }

  add(item: JsonObject, index: number): StreamItem {
    const identities = identitiesOf(item)
    const added: StreamItem = { item, identities, blocks: new Map(), lastPart: undefined, content: undefined }
    this.all.push(added)
    for (const id of identities) this.#byId.set(id, added)
    this.#byIndex.set(index, added)
    return added
  }

  /**
   * Adds the names of an item's end event. They may differ from those of its start, and the whole answer then uses the
   * names of the end.
   */
  nameAlso(known: StreamItem, item: JsonObject): void {
    const more = identitiesOf(item).filter((id) => !this.#byId.has(id))
    known.identities = [...known.identities, ...more]
    for (const id of more) this.#byId.set(id, known)
  }
}

export function kindOf(item: JsonObject): string {
  return typeof item['type'] === 'string' ? item['type'] : 'message'
}

/** The names that identify an item: its own ID and, for a call, the ID that its result will reference. */
export function identitiesOf(item: JsonObject): readonly string[] {
  const { id, call_id: callId } = item
  const kind = kindOf(item)
  return [
    ...(typeof id === 'string' && id !== '' ? [`${kind} ${id}`] : []),
    ...(typeof callId === 'string' && callId !== '' ? [`${kind} call ${callId}`] : []),
  ]
}

/** A digest of an item's content. Two items with the same content are the same item where IDs do not decide. */
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

/** Whether an item can be the item that is known at an index: of the same kind, and the same call. */
function mayBeSame({ item: before, content }: StreamItem, item: JsonObject): boolean {
  if (kindOf(before) !== kindOf(item)) return false
  const { call_id: call, id } = before
  const { call_id: itsCall, id: itsId } = item
  if (isName(call) && isName(itsCall)) return call === itsCall
  // An item that has ended is not started again under another ID.
  return content === undefined || !(isName(id) && isName(itsId)) || id === itsId
}

function isName(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== ''
}
