import type { Random } from '../../kit/random/random.ts'

const ID_BYTES = 24
const PREFIX = 'resp_'

/** An ID that the gateway generates; it cannot be guessed. */
export function makeResponseId(random: Random): string {
  return PREFIX + random.bytes(ID_BYTES).toString('hex')
}

/** The id of an input item that its caller gave none, by its response and its place there. */
export function inputItemId(type: string, responseId: string, index: number): string {
  const name = responseId.startsWith(PREFIX) ? responseId.slice(PREFIX.length) : responseId
  return `${type === 'message' ? 'msg' : 'item'}_in_${name}_${index}`
}

export interface InputItemPosition {
  readonly responseId: string
  readonly index: number
}

/** The position of the item that an ID names; undefined for all other IDs. */
export function readInputItemId(itemId: string): InputItemPosition | undefined {
  const [, name, index] = /^(?:msg|item)_in_([0-9a-f]{48})_(\d{1,6})$/.exec(itemId) ?? []
  return name === undefined ? undefined : { responseId: PREFIX + name, index: Number(index) }
}
