import type { JsonObject } from '../kit/json/json.ts'
import type { Clock } from '../kit/time/clock.ts'

/** Options of a caller's request that decide how its answer is written. */
export interface AnswerForm {
  /** Whether to write the first call as the chat format's older `function_call`, which cannot hold a second call. */
  readonly legacyCalls?: boolean
  /** The `metadata` of the request, which answers of the responses format repeat. */
  readonly metadata?: JsonObject | undefined
  /** Timing of the request; absent where the format does not report times. */
  readonly timer?: AnswerTimer | undefined
  /** The IDs under which callers of the responses format can refer to this answer later. */
  readonly stored?: StoredAnswerForm | undefined
}

export interface AnswerTimer {
  /** The time at which the request arrived, by `Clock.monotonicMs`. */
  readonly startedAtMs: number
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export interface StoredAnswerForm {
  readonly id: string
  readonly previousResponseId: string | undefined
  /** Whether the response is stored only for the caller's connection, and discarded when it closes. */
  readonly isVolatile?: boolean
}
