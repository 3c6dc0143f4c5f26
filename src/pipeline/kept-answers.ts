import type { KeptAnswer, KeptAnswerChange, KeptAnswerRow } from '../access/kept-answer-store.ts'
import type { KeyId } from '../access/key.ts'
import type { Clock } from '../kit/clock.ts'

export interface KeptAnswersParts {
  readonly clock: Pick<Clock, 'nowMs'>
  /** Told of what is noted, and of what goes. */
  readonly onChange: (change: KeptAnswerChange) => void
  /** Of all keys together. */
  readonly max?: number
}

/** Ids as providers make them, which may stand in a path (reliability: T9). */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}$/

const MAX_ANSWERS = 50_000

/** So long OpenAI keeps responses (https://platform.openai.com/docs/guides/your-data, seen 2026-11-20). */
export const KEPT_ANSWER_LIFETIME_MS = 30 * 24 * 3_600_000

export function isAnswerId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}

type Shelf = Map<string, KeptAnswer>

/**
 * Where answers are kept, by key and id: an id alone opens nothing. Bounded: what is over goes from the key that is over
 * its share, or else from the one that has most, the longest unused first.
 */
export class KeptAnswers {
  readonly #shelves = new Map<KeyId, Shelf>()
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #onChange: KeptAnswersParts['onChange']
  readonly #max: number
  #size = 0

  constructor({ clock, onChange, max = MAX_ANSWERS }: KeptAnswersParts) {
    this.#clock = clock
    this.#onChange = onChange
    this.#max = max
  }

  note(id: string, answer: KeptAnswer): void {
    if (!isAnswerId(id)) return
    this.#onChange({ keyId: answer.keyId, id, answer })
    this.#put(id, answer)
  }

  /** What was noted before this process began, the oldest first. */
  restore(rows: readonly KeptAnswerRow[]): void {
    for (const { id, answer } of rows) this.#put(id, answer)
  }

  find(id: string, keyId: KeyId): KeptAnswer | undefined {
    const shelf = this.#shelves.get(keyId)
    const answer = shelf?.get(id)
    if (shelf === undefined || answer === undefined) return undefined
    if (this.#clock.nowMs() - answer.keptAtMs > KEPT_ANSWER_LIFETIME_MS) {
      this.forget(id, keyId)
      return undefined
    }
    shelf.delete(id)
    shelf.set(id, answer)
    return answer
  }

  forget(id: string, keyId: KeyId): void {
    const shelf = this.#shelves.get(keyId)
    if (shelf?.delete(id) !== true) return
    this.#size -= 1
    if (shelf.size === 0) this.#shelves.delete(keyId)
    this.#onChange({ keyId, id, answer: undefined })
  }

  #put(id: string, answer: KeptAnswer): void {
    const shelf = this.#shelves.get(answer.keyId) ?? this.#addShelf(answer.keyId)
    if (!shelf.delete(id)) this.#size += 1
    shelf.set(id, answer)
    if (this.#size > this.#max) this.#dropOne(answer.keyId, shelf)
  }

  #addShelf(keyId: KeyId): Shelf {
    const shelf: Shelf = new Map()
    this.#shelves.set(keyId, shelf)
    return shelf
  }

  /** Where nobody is over, the shares are full to the last, and whoever adds gives. */
  #dropOne(keyId: KeyId, shelf: Shelf): void {
    const isOver = shelf.size > this.#max / this.#shelves.size
    const from = isOver ? keyId : this.#findLargest(keyId)
    const [oldest] = this.#shelves.get(from)?.keys() ?? []
    if (oldest !== undefined) this.forget(oldest, from)
  }

  #findLargest(first: KeyId): KeyId {
    let largest = first
    let size = 0
    for (const [keyId, shelf] of this.#shelves) {
      if (shelf.size <= size) continue
      largest = keyId
      size = shelf.size
    }
    return largest
  }
}
