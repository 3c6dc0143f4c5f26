import type { JsonObject } from '../../../kit/json/json.ts'
import type { AnswerTimer } from '../../answer-form.ts'

const NANOSECONDS = 1_000_000

/**
 * The durations of an answer in nanoseconds, as the gateway measures them. The total starts when the request arrives.
 * Reading the prompt ends at the first piece, and writing starts there. The load time is zero. Without a timer there
 * are no durations.
 */
export class AnswerTimes {
  readonly #timer: AnswerTimer | undefined
  #firstMs: number | undefined

  constructor(timer: AnswerTimer | undefined) {
    this.#timer = timer
  }

  /** Called at each piece of the answer. Only the time of the first piece is recorded. */
  markPiece(): void {
    this.#firstMs ??= this.#timer?.clock.monotonicMs()
  }

  write(): JsonObject {
    if (this.#timer === undefined) return {}
    const { clock, startedAtMs } = this.#timer
    const endMs = clock.monotonicMs()
    const firstMs = this.#firstMs ?? startedAtMs
    return {
      total_duration: nanoseconds(endMs - startedAtMs),
      load_duration: 0,
      prompt_eval_duration: nanoseconds(firstMs - startedAtMs),
      eval_duration: nanoseconds(endMs - firstMs),
    }
  }
}

function nanoseconds(durationMs: number): number {
  return Math.max(0, Math.round(durationMs * NANOSECONDS))
}
