import type { StoredResponse } from '../../stored-answers/stored-response.ts'

/**
 * The latest responses of one connection, for callers that do not want them stored. They are dropped when the
 * connection closes.
 */
export interface ResponseMemory {
  find(id: string): StoredResponse | undefined
  /** The IDs of the responses that hold these items, by the IDs of the items. */
  findItems(itemIds: ReadonlySet<string>): ReadonlyMap<string, string>
  put(response: StoredResponse): void
}
