import type { ChannelFormatId } from '../canonical/format.ts'
import type { Captures } from '../capture/captures.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import type { MediaPolicy } from '../catalog/media-schema.ts'
import type { Random } from '../kit/random/random.ts'
import type { Clock, ReportFault } from '../kit/time/clock.ts'
import type { Corrections } from '../metering/ledger/corrections.ts'
import type { ProviderRegistry } from '../providers/provider.ts'
import type { RoutingState } from '../routing/attempt-sequence.ts'
import type { RequestQueue } from '../routing/queue/request-queue.ts'
import type { RecoveryPolicy } from '../routing/recovery-schema.ts'
import type { RetryPolicy } from '../routing/retry-schema.ts'
import type { IdempotentCalls } from '../stored-answers/idempotent-calls.ts'
import type { RemoteObjectStore } from '../stored-answers/remote-object.ts'
import type { StoredResponses } from '../stored-answers/stored-responses.ts'
import type { Observer } from '../telemetry/observer.ts'
import type { Redactor } from '../telemetry/redact.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { ChannelFormat } from '../wire/wire-format.ts'
import type { AnswerBudget, AnswerTurns } from './exchange/answer-budget.ts'
import type { MediaBudget } from './exchange/media-budget.ts'
import type { SharedAnswer } from './idempotency/shared-answer.ts'
import type { ReasoningContinuity } from './reasoning/reasoning-carrier.ts'
import type { DeadlineWatch } from './response/deadline-watch.ts'
import type { HeartbeatOptions } from './response/response-writer.ts'
import type { Spending } from './spending/spending.ts'

/** Everything in the rest of the program that serving a request needs. Each step uses its own part. */
export interface Gateway {
  readonly catalog: CatalogSource
  readonly providers: ProviderRegistry
  readonly formats: Readonly<Record<ChannelFormatId, ChannelFormat>>
  readonly upstream: Upstream
  readonly observer: Observer
  readonly redactor: Redactor
  /** Reports a fault that does not fit into the request's own row. */
  readonly reportFault: ReportFault
  readonly clock: Clock
  readonly watch: DeadlineWatch
  readonly random: Random
  readonly retry: RetryPolicy
  readonly recovery: RecoveryPolicy
  /** The state that survives requests and configuration changes. */
  readonly routingState: RoutingState
  /** Signs reasoning on its way to the caller and back, and stores it for callers that do not return it. */
  readonly reasoningContinuity: ReasoningContinuity
  /** The queue of requests for which every target is in cooldown or full; undefined where no request waits. */
  readonly queue: RequestQueue | undefined
  /** Undefined where heartbeats are off. */
  readonly heartbeat: HeartbeatOptions | undefined
  /** Holds the cost of every attempt in its budgets, and records the attempt. */
  readonly spending: Spending
  /** Corrects rows of the ledger that were written before their usage was known. */
  readonly corrections: Corrections
  /** Answers that their callers may refer to later. */
  readonly storedResponses: StoredResponses
  /** Files and batches that providers store for keys. */
  readonly remoteObjects: RemoteObjectStore
  /** Calls that their callers may repeat without paying again. */
  readonly idempotentCalls: IdempotentCalls<SharedAnswer>
  /** Stored prompts and answers, for reading later. */
  readonly captures: Captures
  /** The policy for fetching files from addresses in requests; undefined where no such file is fetched. */
  readonly media: MediaPolicy | undefined
  /** The budget of the whole process for the bytes of upstream answers. */
  readonly answerBudget: AnswerBudget
  readonly answerTurns: AnswerTurns
  /** The budget of the whole process for fetched files. It does not depend on the configuration. */
  readonly mediaBudget: MediaBudget
  /** The user agent of calls to upstreams, such as `headgate/1.0.0`. */
  readonly userAgent: string
}
