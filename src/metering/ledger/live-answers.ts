import { type InFlightEntry, InFlightList } from '../../kit/collections/in-flight-list.ts'
import type { LedgerRowId } from '../../kit/random/ids.ts'
import type { LedgerCheckpoint } from '../ledger-row.ts'

interface LiveAnswer {
  readonly id: LedgerRowId
  readonly readOutputTokens: () => number
  /** The output tokens of the last durable checkpoint. */
  durableTokens: number
}

/** The handle of an added answer. Pass it back to remove the answer. */
export type FollowedAnswer = InFlightEntry<LiveAnswer>

/** Answers in flight. Their progress is needed to settle them after a crash. */
export class LiveAnswers {
  readonly #answers = new InFlightList<LiveAnswer>()
  /** The checkpoints that the commit in progress writes. */
  #written: readonly (readonly [LiveAnswer, outputTokens: number])[] = []

  get size(): number {
    return this.#answers.size
  }

  add(id: LedgerRowId, readOutputTokens: () => number): FollowedAnswer {
    return this.#answers.add({ id, readOutputTokens, durableTokens: 0 })
  }

  /** Removes an answer. Called once for each answer. */
  remove(followed: FollowedAnswer): void {
    this.#answers.remove(followed)
  }

  /** The checkpoints of answers that have made progress since their last durable checkpoint. */
  readCheckpoints(): readonly LedgerCheckpoint[] {
    const further = this.#answers.all().map((answer) => [answer, answer.readOutputTokens()] as const)
    this.#written = further.filter(([{ durableTokens }, outputTokens]) => outputTokens > durableTokens)
    return this.#written.map(([{ id }, outputTokens]) => ({ id, outputTokens }))
  }

  /** Writes a checkpoint of each answer again, also of those without any output. */
  renew(): void {
    for (const answer of this.#answers.all()) answer.durableTokens = -1
    this.#written = []
  }

  /** Marks the last checkpoints that were read as durable. */
  confirm(): void {
    for (const [answer, outputTokens] of this.#written) answer.durableTokens = outputTokens
    this.#written = []
  }
}
