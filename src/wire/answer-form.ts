import type { Clock } from '../kit/time/clock.ts'

/** Options of a caller's request that decide how its answer is written. */
export interface AnswerForm {
  /** The first call as the chat format's older `function_call`, which holds no second one. */
  readonly legacyCalls?: boolean
  /** The times of the request; absent where the format does not state them. */
  readonly timer?: AnswerTimer | undefined
  /** The way in which callers of the responses format may refer to the answer from now on. */
  readonly stored?: StoredAnswerForm | undefined
}

export interface AnswerTimer {
  /** The arrival of the request, by `Clock.monotonicMs`. */
  readonly startedAtMs: number
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export interface StoredAnswerForm {
  readonly id: string
  readonly previousResponseId: string | undefined
  /** Whether it goes with the caller's connection. */
  readonly isVolatile?: boolean
}
