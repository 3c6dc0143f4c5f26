import { GatewayError } from '../../canonical/failure.ts'
import type { CatalogSource } from '../../catalog/catalog.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Corrections } from '../../metering/ledger/corrections.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'
import type { StoredResponses } from '../../stored-answers/stored-responses.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { AttemptLog } from '../attempt/attempt-log.ts'
import type { AnswerBudget, AnswerTurns } from '../exchange/answer-budget.ts'
import type { RetrievalRequest } from '../exchange/caller-request.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { DeadlineWatch } from '../response/deadline-watch.ts'
import type { ResponseWriter } from '../response/response-writer.ts'

export interface RetrievalInput {
  readonly request: RetrievalRequest
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly attempts: AttemptLog
  /** The deadline of the request, by `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

/** One retrieval with everything that its steps use. */
export interface Retrieval extends RetrievalInput, RetrievalDependencies {}

export interface RetrievalDependencies {
  readonly storedResponses: StoredResponses
  readonly catalog: CatalogSource
  readonly providers: ProviderRegistry
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly answerBudget: AnswerBudget
  readonly answerTurns: AnswerTurns
  readonly clock: Clock
  readonly watch: DeadlineWatch
  readonly userAgent: string
  readonly corrections: Pick<Corrections, 'correct'>
}

/**
 * The error for a response that is not found. It is the same for an ID of another key and for an ID that is not stored
 * at all.
 */
export function responseNotFound(id: string, stored?: StoredResponse): GatewayError {
  const shown = JSON.stringify(id.slice(0, 128))
  const isTooLarge = stored?.content.type === 'absent' && stored.content.reason === 'too-large'
  const reason = isTooLarge
    ? 'it was larger than this gateway stores'
    : 'this key has no stored response of that id'
  return new GatewayError('response_not_found', {
    message: `Response with id ${shown} not found: ${reason}.`,
  })
}
