import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

export interface ItemReference {
  /** The item's index in the list. */
  readonly index: number
  readonly id: string
}

/** Whether an item consists only of an ID. A reference may leave out its type. */
export function isItemReference(item: JsonObject): boolean {
  const type = item['type'] ?? 'message'
  return type === 'item_reference' || (type === 'message' && isBareReference(item))
}

function isBareReference(item: JsonObject): boolean {
  return typeof item['id'] === 'string' && item['role'] === undefined && item['content'] === undefined
}

export function listReferences(input: JsonValue): readonly ItemReference[] {
  if (!isJsonArray(input)) return []
  return input.flatMap((item, index) => {
    if (!isJsonObject(item) || !isItemReference(item)) return []
    return [{ index, id: typeof item['id'] === 'string' ? item['id'] : '' }]
  })
}

const REFERENCE = Buffer.from('item_reference')
const ID = Buffer.from('"id"')
/** A text search does not find names and types that are written with escapes. No client escapes letters like this. */
const ESCAPE = Buffer.from('\\u00')

/**
 * Whether the JSON of an input may contain a reference, without parsing it. False positives occur, false negatives do
 * not. A bare reference ends after its ID, or has a type that is null.
 */
export function mayHoldReference(input: Buffer): boolean {
  if (input.includes(REFERENCE)) return true
  for (let at = input.indexOf(ID); at !== -1; at = input.indexOf(ID, at + ID.length)) {
    if (mayEndBehind(input, at + ID.length)) return true
  }
  for (let at = input.indexOf(ESCAPE); at !== -1; at = input.indexOf(ESCAPE, at + ESCAPE.length)) {
    const digit = input[at + ESCAPE.length] ?? 0
    if (digit >= 0x34 && digit <= 0x37) return true
  }
  return false
}

const MAX_ID_BYTES = 256
/** The JSON after an ID in a bare reference: the end of its object, or a type that is null. */
const END_OF_REFERENCE = /^\s*:\s*"(?:[^"\\]|\\.)*"\s*(?:\}|,\s*"type"\s*:\s*(?:null|"message")\s*\})/

function mayEndBehind(input: Buffer, at: number): boolean {
  const text = input.toString('latin1', at, at + MAX_ID_BYTES)
  return END_OF_REFERENCE.test(text)
}
