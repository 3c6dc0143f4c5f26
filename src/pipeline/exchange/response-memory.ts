import type { StoredResponse } from '../../stored-answers/stored-response.ts'

/** The latest responses of one connection whose callers want nothing stored; they go with the connection. */
export interface ResponseMemory {
  find(id: string): StoredResponse | undefined
  /** The ids of the responses that hold these items, by the ids of the items. */
  findItems(itemIds: ReadonlySet<string>): ReadonlyMap<string, string>
  put(response: StoredResponse): void
}
