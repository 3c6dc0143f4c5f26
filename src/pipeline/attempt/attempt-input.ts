import type { Timeouts } from '../../catalog/channel.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { Upstream, UpstreamRequest } from '../../upstream/upstream.ts'
import type { AnswerBudget, AnswerTurns } from '../exchange/answer-budget.ts'
import type { Lane } from '../lane/lane.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { DeadlineWatch } from '../response/deadline-watch.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import type { AttemptOutcome, ShownAmount } from './attempt-outcome.ts'
import type { AttemptTimeouts } from './plan-timeouts.ts'

export type CostHeaders = (answered: AttemptOutcome) => Readonly<Record<string, string>>

/** The durable writes for which an answer waits. */
export type AttemptDurability =
  | { readonly type: 'none' }
  /** The attempt's intent is durable before any byte of the answer is sent. */
  | IntendedDurability
  /** The settlement is also written before the end of the answer is sent. */
  | (Omit<IntendedDurability, 'type'> & Omit<SettledDurability, 'type'> & { readonly type: 'strict' })
  | SettledDurability

export interface IntendedDurability {
  readonly type: 'intended'
  /**
   * Called once the request is sent, so that the write does not delay the request. The promise is fulfilled once the
   * intent is durable. If it is rejected, no byte of an answer is sent. A second call returns the same promise.
   * `readShown` reads how much of the answer was shown so far, for checkpoints.
   */
  readonly intend: (readShown: () => ShownAmount | undefined) => Promise<void>
  /** Called when the answer arrives before its intent is durable. */
  readonly hurry: () => void
}

/** The consequences of the answer are written before its end is sent. No intent is written before. */
export interface SettledDurability {
  readonly type: 'settled'
  /** Called before the end of an answer is sent. The end waits for the promise. */
  readonly settleBeforeEnd: (outcome: AttemptOutcome) => Promise<void> | undefined
}

export const notDurable: AttemptDurability = { type: 'none' }

/** The input of one call to a target. */
export interface AttemptInput {
  readonly lane: Lane
  readonly request: UpstreamRequest
  readonly timeouts: Timeouts
  /** The timeouts that apply where the operator sets none. If undefined, the timeouts of a last call apply. */
  readonly attemptTimeouts?: (() => AttemptTimeouts) | undefined
  readonly isStream: boolean
  /** Headers that say which target answered. They are sent with the first byte. */
  readonly answerHeaders: Readonly<Record<string, string>>
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly answerBudget: AnswerBudget
  /** The turns of the event loop, which all answers share. */
  readonly answerTurns: AnswerTurns
  readonly writer: Pick<ResponseWriter, 'prepareHead' | 'writeStream' | 'endStream' | 'sendWhole'>
  readonly clock: Clock
  readonly callerConnection: CallerConnection
  readonly watch: DeadlineWatch
  /** The deadline of the whole request, by `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
  readonly durability: AttemptDurability
  /** Writes the headers of a whole answer that depend on its usage. */
  readonly costHeaders?: CostHeaders | undefined
  /** Called once, when the first content of a stream is sent. */
  readonly onFirstContent?: () => void
}
