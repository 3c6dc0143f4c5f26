import type { Random } from '../../kit/random/random.ts'

const ID_BYTES = 24
const PREFIX = 'resp_'

/** Creates an ID that cannot be guessed. */
export function makeResponseId(random: Random): string {
  return PREFIX + random.bytes(ID_BYTES).toString('hex')
}

/** The ID of an input item without an ID of its own. It consists of the response's ID and the position in its input. */
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
