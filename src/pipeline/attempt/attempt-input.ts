import type { Timeouts } from '../../catalog/channel.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { Upstream, UpstreamRequest } from '../../upstream/upstream.ts'
import type { AnswerBudget, AnswerTurns } from '../exchange/answer-budget.ts'
import type { Lane } from '../lane/lane.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { DeadlineWatch } from '../response/deadline-watch.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import type { Patience } from './plan-patience.ts'

/** What one call of a target takes. */
export interface AttemptInput {
  readonly lane: Lane
  readonly request: UpstreamRequest
  readonly timeouts: Timeouts
  /** Bounds where the operator gives none; without it, those of a call after which nothing else is tried. */
  readonly patience?: (() => Patience) | undefined
  readonly isStream: boolean
  /** Headers that say who answered, sent with the first byte. */
  readonly answerHeaders: Readonly<Record<string, string>>
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly answerBudget: AnswerBudget
  /** Shared by all answers. */
  readonly answerTurns: AnswerTurns
  readonly writer: Pick<ResponseWriter, 'writeStream' | 'endStream' | 'sendWhole'>
  readonly clock: Clock
  readonly callerConnection: CallerConnection
  readonly watch: DeadlineWatch
  /** Of the whole request, of `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
  /** Called once, when the first content of a stream goes out. */
  readonly onFirstContent?: () => void
}
