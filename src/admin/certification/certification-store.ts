import type { NanoDollars } from '../../canonical/money.ts'
import type { CheckName } from './certification-contract.ts'
import type { CheckVerdict } from './checks/check.ts'

/** One call of a check, in short and without secrets. */
export interface Evidence {
  /** Undefined where nothing was sent. */
  readonly requestId: string | undefined
  readonly sent: string
  readonly received: string
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
  /** The one who asked for it. */
  readonly author: string
  readonly startedAtMs: number
  readonly endedAtMs: number | undefined
  /** The last time at which the process that carries it out said so. */
  readonly updatedAtMs: number
  readonly checks: readonly CheckName[]
  readonly results: readonly CheckResult[]
  /** The most that it can cost; undefined where the model has no price. */
  readonly estimatedCost: NanoDollars | undefined
  readonly cost: NanoDollars | undefined
}

export interface CertificationQuery {
  readonly channel: string | undefined
  readonly model: string | undefined
  /** Whether of each channel and upstream model only the newest counts. */
  readonly isNewest: boolean
  /** The ID of a certification; only older ones are wanted. IDs increase with time. */
  readonly before: string | undefined
  readonly limit: number
}

/** The certifications of each channel and upstream model that are stored; older ones go as newer ones come. */
export const MAX_STORED_CERTIFICATIONS = 20

/** Stores certifications. Fails with `GatewayError` (`store_unavailable`) where it cannot. */
export interface CertificationStore {
  /** Adds one, and removes the oldest of its channel and upstream model beyond the bound. */
  add(certification: Certification): Promise<void>
  /**
   * Replaces one. False, and nothing is changed, where it was cancelled and the new state is another: then its run
   * stops.
   */
  update(certification: Certification): Promise<boolean>
  /** Cancels one that is queued or running; one that has ended stays as it is. */
  cancel(id: string, atMs: number): Promise<void>
  find(id: string): Promise<Certification | undefined>
  /** The newest first. */
  list(query: CertificationQuery): Promise<readonly Certification[]>
}
