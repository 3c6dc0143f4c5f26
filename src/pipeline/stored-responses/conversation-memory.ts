import type { KeyId } from '../../access/key.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'
import {
  bytesOfResponse,
  MAX_RESPONSE_BYTES,
  type StoredResponses,
} from '../../stored-answers/stored-responses.ts'
import type { ResponseMemory } from '../exchange/response-memory.ts'
import type { ResponseRecords } from '../exchange/response-recorder.ts'

/** The memory that one response holds. */
export interface MemoryHold {
  /** Reserves this many more bytes. Any result other than undefined means that there is no room. */
  grow(bytes: number): unknown
  release(): void
}

/**
 * The maximum number of responses that a connection can continue: the latest, and a few more from which its other
 * streams can branch off.
 */
const MAX_RESPONSES = 4

interface Remembered {
  readonly response: StoredResponse
  readonly hold: MemoryHold
}

/** Stores responses only in memory. The oldest makes room for a newer one. */
export class ConversationMemory implements ResponseMemory {
  readonly #openHold: () => MemoryHold
  readonly #remembered = new Map<string, Remembered>()

  constructor(openHold: () => MemoryHold) {
    this.#openHold = openHold
  }

  find(id: string): StoredResponse | undefined {
    return this.#remembered.get(id)?.response
  }

  findItems(itemIds: ReadonlySet<string>): ReadonlyMap<string, string> {
    const found = new Map<string, string>()
    for (const [id, { response }] of this.#remembered)
      for (const itemId of response.itemIds) if (itemIds.has(itemId)) found.set(itemId, id)
    return found
  }

  /** Stores a response whose content is known, if there is room for it. */
  put(response: StoredResponse): void {
    if (response.content.type === 'absent') return
    this.#forget(response.id)
    const hold = this.#openHold()
    const bytes = bytesOfResponse(response)
    while (this.#remembered.size === MAX_RESPONSES || hold.grow(bytes) !== undefined) {
      const [oldest] = this.#remembered.keys()
      if (oldest === undefined) {
        hold.release()
        return
      }
      this.#forget(oldest)
    }
    this.#remembered.set(response.id, { response, hold })
  }

  clear(): void {
    for (const id of [...this.#remembered.keys()]) this.#forget(id)
  }

  #forget(id: string): void {
    this.#remembered.get(id)?.hold.release()
    this.#remembered.delete(id)
  }
}

/** The stored responses that a request can name by ID. */
export type FindableResponses = Pick<StoredResponses, 'find' | 'findItems'>

/** Looks up responses first in a connection's memory, and then in the store. */
export function findBeside(memory: ResponseMemory, stored: FindableResponses): FindableResponses {
  return {
    async find(keyId: KeyId, id: string) {
      return memory.find(id) ?? (await stored.find(keyId, id))
    },
    async findItems(keyId, itemIds) {
      const found = await stored.findItems(keyId, itemIds)
      return new Map([...found, ...memory.findItems(new Set(itemIds))])
    },
  }
}

/** Adapts a connection's memory to the recorder of answers. */
export function recordIn(memory: ResponseMemory): ResponseRecords {
  return {
    policy: { keepMs: HOUR_MS, maxBytes: MAX_RESPONSE_BYTES },
    put: (response) => memory.put(response),
    extend: () => undefined,
  }
}
