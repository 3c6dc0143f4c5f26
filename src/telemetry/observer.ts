import type { ErrorCode } from '../canonical/error-table.ts'
import type { OperationId } from '../canonical/format.ts'
import type { Loss } from '../canonical/loss.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Usage } from '../canonical/usage.ts'

/** The outcome of one request: everything that logs and metrics say of it. It holds no secret and no prompt. */
export interface RequestRow {
  /** Set for what an operator or their tool asked: it is not a request of a caller. */
  readonly isOperator?: true
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** Undefined on paths that belong to no format. */
  readonly format: OperationId | undefined
  readonly status: number
  readonly error: ErrorCode | undefined
  /** The reason for operators, where the caller's message contains less. */
  readonly cause: string | undefined
  readonly keyId: string | undefined
  readonly keyName: string | undefined
  readonly user: string | undefined
  readonly group: string | undefined
  readonly address: string
  /** The program that called; undefined where it does not say. */
  readonly client?: string | undefined
  readonly isStream: boolean
  /** The public name asked for, once it is known to exist. */
  readonly model: string | undefined
  readonly channel: string | undefined
  readonly upstreamModel: string | undefined
  /** The candidates of the plan in its order, and those that it left out and why. */
  readonly candidates: readonly PlannedRow[]
  readonly attempts: readonly AttemptRow[]
  /** The usage of all attempts together. */
  readonly usage: Usage | undefined
  /** The cost of all attempts together; undefined where none has a price: a model without one must not look free. */
  readonly cost?: NanoDollars | undefined
  readonly charged?: NanoDollars | undefined
  readonly losses: readonly Loss[]
  readonly callerLeft: boolean
  /** Whether a stream broke off and another answer made it whole. */
  readonly isRecovered: boolean
  /** The answer is that of another request of the same idempotency key; this one made no call. */
  readonly isReplay?: true
  readonly bytesIn: number
  readonly bytesOut: number
  /** The time from the request's head to the first content for the caller. */
  readonly firstContentMs: number | undefined
  /** The time from the request's head until it was read and known to be sound. */
  readonly receiveMs: number
  /** The time in the queue for a target. */
  readonly queueMs: number
  /** The time from the request's head to its end: `receiveMs`, `queueMs`, and each attempt with the wait before it. */
  readonly totalMs: number
  /** Wall time at the end, in milliseconds since 1970; the request came `totalMs` before. */
  readonly endedAtMs: number
}

/** One target that a plan looked at. */
export interface PlannedRow {
  readonly channel: string
  readonly upstreamModel: string
  readonly credentialId: string | undefined
  /** The reason why it could not be tried, such as `rate-limited`; undefined where it could. */
  readonly excluded?: string | undefined
}

/** A row of the log line, one for each attempt. */
export interface AttemptRow {
  readonly channel: string
  readonly credentialId: string | undefined
  readonly upstreamModel: string
  /** `split`: several calls, joined. */
  readonly lane: 'verbatim' | 'translated' | 'split'
  /** `answered`, `caller-gone`, or the code of the failure. */
  readonly outcome: string
  readonly upstreamStatus: number | undefined
  /** The cause in the upstream's or the network library's words, secrets taken out. */
  readonly cause: string | undefined
  /** The usage of the attempt, where it is known. */
  readonly usage: Usage | undefined
  /** The cost that the provider asks, and the charge to the caller; undefined where no call was made that is billed. */
  readonly cost?: NanoDollars | undefined
  readonly charged?: NanoDollars | undefined
  /** The wait between what came before and this attempt: a back-off, or files that were fetched. */
  readonly waitMs: number
  readonly headMs: number | undefined
  readonly firstContentMs: number | undefined
  readonly totalMs: number
}

/** The parts of a row that alerts judge. */
export type JudgedRow = Pick<
  RequestRow,
  | 'isOperator'
  | 'isReplay'
  | 'model'
  | 'channel'
  | 'isStream'
  | 'error'
  | 'callerLeft'
  | 'firstContentMs'
  | 'totalMs'
  | 'endedAtMs'
  | 'attempts'
>

/** Observes requests: called once for each, at its end. Must not throw and must not wait. */
export interface Observer {
  requestEnded(row: RequestRow): void
}
