import type { KeyId } from '../access/key.ts'

/** An answer that a provider keeps under an id of its own, and who may ask for it. */
export interface KeptAnswer {
  readonly keyId: KeyId
  /** The public name that was asked for. */
  readonly askedName: string
  /** The public name under which its target stands: that one, or a fallback's. */
  readonly publicName: string
  readonly channelName: string
  readonly upstreamModel: string
  readonly credentialId: string | undefined
}

/** Ids as providers make them, which may stand in a path (reliability: T9). */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}$/

const MAX_ANSWERS = 50_000

/**
 * Where answers are kept, by their ids. In memory and bounded, the longest unused going first: an answer is found again
 * as long as this process lives, and the provider still has it.
 */
export class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer>()
  readonly #max: number

  constructor(max = MAX_ANSWERS) {
    this.#max = max
  }

  note(id: string, answer: KeptAnswer): void {
    if (!ID.test(id)) return
    this.#answers.delete(id)
    this.#answers.set(id, answer)
    if (this.#answers.size <= this.#max) return
    const [oldest] = this.#answers.keys()
    if (oldest !== undefined) this.#answers.delete(oldest)
  }

  /** Undefined also for an answer of another key: an id alone opens nothing. */
  find(id: string, keyId: KeyId): KeptAnswer | undefined {
    const answer = this.#answers.get(id)
    if (answer?.keyId !== keyId) return undefined
    this.#answers.delete(id)
    this.#answers.set(id, answer)
    return answer
  }

  /** Whether the id is that of an answer to some key. */
  has(id: string): boolean {
    return this.#answers.has(id)
  }

  forget(id: string): void {
    this.#answers.delete(id)
  }
}
