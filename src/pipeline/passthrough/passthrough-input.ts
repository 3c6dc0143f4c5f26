import type { CatalogSource } from '../../catalog/catalog.ts'
import type { PassthroughPrice } from '../../catalog/passthrough.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { RateLease } from '../../metering/rates/rate-limiter.ts'
import type { Provider, ProviderRegistry } from '../../providers/provider.ts'
import type { RoutingState } from '../../routing/attempt-sequence.ts'
import type { Plan } from '../../routing/plan-attempts.ts'
import type { RequestQueue } from '../../routing/queue/request-queue.ts'
import type { RetryPolicy } from '../../routing/retry-schema.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { AttemptLog } from '../attempt/attempt-log.ts'
import type { PassthroughRequest } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { DeadlineWatch } from '../response/deadline-watch.ts'
import type { PassthroughWriter } from '../response/response-writer.ts'
import type { DurableChargeDependencies } from '../spending/open-durable-charge.ts'
import type { PassthroughTarget } from './find-passthrough-target.ts'

export interface PassthroughDependencies extends DurableChargeDependencies {
  readonly catalog: CatalogSource
  readonly providers: ProviderRegistry
  readonly routingState: RoutingState
  /** The requests that wait for a slot, which a call may free; undefined where no request waits. */
  readonly queue: Pick<RequestQueue, 'wake'> | undefined
  readonly retry: RetryPolicy
  readonly random: Random
  readonly clock: Clock
  readonly watch: DeadlineWatch
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly userAgent: string
}

/** One request of a pass-through, with everything that its steps use. */
export interface PassthroughInput extends PassthroughDependencies {
  readonly request: PassthroughRequest
  readonly writer: PassthroughWriter
  readonly callerConnection: CallerConnection
  readonly attempts: AttemptLog
  readonly deadlineAtMs: number
  readonly holdLease: (lease: RateLease) => void
  recordModel(publicName: string): void
  recordPlan(plan: Plan): void
}

/** The end of a pass-through. */
export interface PassthroughResult {
  readonly outcome: ExchangeOutcome
  /** Whether the caller already has an answer, which may be the provider's own error. */
  readonly isSent: boolean
}

/** A call of a pass-through that has passed all checks before a target is called. */
export interface AllowedCall {
  readonly input: PassthroughInput
  readonly segments: readonly string[]
  readonly passthroughTarget: PassthroughTarget
  readonly price: PassthroughPrice
  readonly provider: Provider
  /** The body, if it had to be read; undefined where it is passed on as it arrives. */
  readonly body: BodyBytes | undefined
}
