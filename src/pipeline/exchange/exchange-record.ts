import type { Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { Plan } from '../../routing/plan-attempts.ts'
import type { AttemptRow } from '../../telemetry/observer.ts'

/** The end of a request, as far as it was carried out without a fault of ours. */
export type ExchangeOutcome =
  /** Answered by an upstream, or from what is known here. */
  | { readonly type: 'answered' }
  /** The caller still has to get the failure. */
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'caller-gone' }

export interface AnsweringTarget {
  readonly channel: string
  readonly upstreamModel: string
}

/** An amount of money for calls with a price. */
export interface SpentAmount {
  readonly cost: NanoDollars
  readonly charged: NanoDollars
}

/** The record of a request, filled in on its way and read once at its end. */
export interface ExchangeRecord {
  readonly attempts: AttemptRow[]
  /** The time from the request's head until the pipeline took it up. */
  receiveMs: number
  queueMs: number
  /** The end of the part of the request that is accounted for so far, by `Clock.monotonicMs`. */
  accountedAtMs: number
  /** Whether a stream broke off and another answer made it whole. */
  isRecovered: boolean
  /** Whether the answer is that of another request of the same idempotency key. */
  isReplay: boolean
  /** The last plan, for the row. */
  plan: Plan | undefined
  model: string | undefined
  isStream: boolean
  /** The target that answered, or of which the caller was shown something; undefined where none was. */
  answeredBy: AnsweringTarget | undefined
  /** The usage of all attempts together. */
  usage: Usage | undefined
  /** The money that all attempts together came to; undefined where none has a price. */
  spent: SpentAmount | undefined
  losses: readonly Loss[]
  outcome: ExchangeOutcome | { readonly type: 'under-way' }
  /** The cause of a fault, for operators. */
  cause: string | undefined
  /** The time from the request's head to the first content for the caller. */
  firstContentMs: number | undefined
}
