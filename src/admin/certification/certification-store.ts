import type { NanoDollars } from '../../canonical/money.ts'
import type { CheckName } from './certification-contract.ts'
import type { CheckVerdict } from './checks/check.ts'
import type { ReceivedFact, SentFact } from './evidence-contract.ts'

/** One call of a check, in short and without secrets. */
export interface Evidence {
  /** Undefined if nothing was sent. */
  readonly requestId: string | undefined
  readonly sent: string
  readonly received: string
  /** The same as data. Undefined in the certifications of earlier versions. */
  readonly sentFact: SentFact | undefined
  readonly receivedFact: ReceivedFact | undefined
}

export interface CheckResult extends CheckVerdict {
  readonly check: CheckName
  readonly evidence: readonly Evidence[]
  readonly durationMs: number
}

/** The findings about one model of one channel, at one time. */
export interface Certification {
  readonly id: string
  readonly channel: string
  /** The public name. */
  readonly model: string
  readonly upstreamModel: string
  readonly state: 'queued' | 'running' | 'done' | 'cancelled'
  /** The author of the request. */
  readonly author: string
  readonly startedAtMs: number
  readonly endedAtMs: number | undefined
  /** The time at which the process that runs it last renewed its claim. */
  readonly updatedAtMs: number
  readonly checks: readonly CheckName[]
  readonly results: readonly CheckResult[]
  /** The maximum cost. Undefined if the model has no price. */
  readonly estimatedCost: NanoDollars | undefined
  readonly cost: NanoDollars | undefined
}

export interface CertificationQuery {
  readonly channel: string | undefined
  readonly model: string | undefined
  /** Whether to list only the newest certification of each channel and upstream model. */
  readonly isNewest: boolean
  /** The ID of a certification. Only older certifications are listed. IDs increase with time. */
  readonly before: string | undefined
  readonly limit: number
}

/** The limit on stored certifications of each channel and upstream model. Newer ones replace the oldest. */
export const MAX_STORED_CERTIFICATIONS = 20

/**
 * The store of certifications. Operations fail with `GatewayError` (`store_unavailable`) if the store cannot be used.
 */
export interface CertificationStore {
  /** Adds a certification, and deletes the oldest of its channel and upstream model beyond the limit. */
  add(certification: Certification): Promise<void>
  /**
   * Replaces a certification. False, without a change, if it was cancelled and the new state is different. The run
   * then stops.
   */
  update(certification: Certification): Promise<boolean>
  /** Cancels a queued or running certification. One that has ended is not changed. */
  cancel(id: string, atMs: number): Promise<void>
  find(id: string): Promise<Certification | undefined>
  /** The newest first. */
  list(query: CertificationQuery): Promise<readonly Certification[]>
}
