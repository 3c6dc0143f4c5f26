import type { LedgerCheckpoint, LedgerRowId } from '../ledger-row.ts'

interface LiveAnswer {
  readonly readOutputTokens: () => number
  /** What the last durable checkpoint says. */
  durableTokens: number
}

/** Answers under way of which a crash must know how far they came. */
export class LiveAnswers {
  readonly #answers = new Map<LedgerRowId, LiveAnswer>()

  get size(): number {
    return this.#answers.size
  }

  add(id: LedgerRowId, readOutputTokens: () => number): void {
    this.#answers.set(id, { readOutputTokens, durableTokens: 0 })
  }

  remove(id: LedgerRowId): void {
    this.#answers.delete(id)
  }

  /** Those that have come further than their last durable checkpoint. */
  readCheckpoints(): readonly LedgerCheckpoint[] {
    const checkpoints: LedgerCheckpoint[] = []
    for (const [id, { readOutputTokens, durableTokens }] of this.#answers) {
      const outputTokens = readOutputTokens()
      if (outputTokens > durableTokens) checkpoints.push({ id, outputTokens })
    }
    return checkpoints
  }

  confirm(checkpoints: readonly LedgerCheckpoint[]): void {
    for (const { id, outputTokens } of checkpoints) {
      const answer = this.#answers.get(id)
      if (answer !== undefined) answer.durableTokens = outputTokens
    }
  }
}
