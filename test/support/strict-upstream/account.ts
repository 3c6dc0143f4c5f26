import { createHmac } from 'node:crypto'

/** An upstream's account: its proofs, which it knows again, with the words that they prove. */
export class Account {
  readonly name: string
  readonly #words = new Map<string, string>()
  /** The proof of the reasoning that led to each item. */
  readonly #reasonedAbout = new Map<string, string>()

  /** The proofs in the order in which they were made. */
  get proofs(): readonly string[] {
    return [...this.#words.keys()]
  }

  constructor(name: string) {
    this.name = name
  }

  /** A new proof of these words, unlike any other account's. */
  prove(words: string, position: string): string {
    const proof = createHmac('sha256', this.name).update(`${position}|${words}`).digest('base64')
    this.#words.set(proof, words)
    return proof
  }

  /** Whether it is a proof of this account, for these words where they are given. */
  knows(proof: string, words?: string): boolean {
    const proved = this.#words.get(proof)
    return proved !== undefined && (words === undefined || words === proved)
  }

  /** The proof of these words, where they were proved once. */
  proofOf(words: string): string | undefined {
    for (const [proof, proved] of this.#words) if (proved === words) return proof
    return undefined
  }

  recordReasoning(itemId: string, proof: string): void {
    this.#reasonedAbout.set(itemId, proof)
  }

  reasoningOf(itemId: string): string | undefined {
    return this.#reasonedAbout.get(itemId)
  }
}
