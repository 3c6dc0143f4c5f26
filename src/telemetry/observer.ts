import type { ErrorCode } from '../canonical/error-table.ts'
import type { OperationId } from '../canonical/format.ts'
import type { Loss } from '../canonical/loss.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Usage } from '../canonical/usage.ts'

/** The outcome of one request, with all data for logs and metrics. It has no secret. A cause may quote a prompt. */
export interface RequestRow {
  /** Set for requests of an operator or an operator's tool, which are not requests of a caller. */
  readonly isOperator?: true
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** Undefined on paths that belong to no format. */
  readonly format: OperationId | undefined
  readonly status: number
  readonly error: ErrorCode | undefined
  /** The reason for operators, where it says more than the caller's message. */
  readonly cause: string | undefined
  readonly keyId: string | undefined
  readonly keyName: string | undefined
  readonly user: string | undefined
  readonly group: string | undefined
  readonly address: string
  /** The calling program. Undefined where it does not identify itself. */
  readonly client?: string | undefined
  readonly isStream: boolean
  /** The public name that was asked for, once it is known to exist. */
  readonly model: string | undefined
  readonly channel: string | undefined
  readonly upstreamModel: string | undefined
  /** The candidates of the plan in order, and the candidates that were left out with the reason. */
  readonly candidates: readonly PlannedRow[]
  readonly attempts: readonly AttemptRow[]
  /** The usage of all attempts together. */
  readonly usage: Usage | undefined
  /**
   * The cost of all attempts together. Undefined where no attempt has a price, since a model without a price must not
   * look free.
   */
  readonly cost?: NanoDollars | undefined
  readonly charged?: NanoDollars | undefined
  readonly losses: readonly Loss[]
  readonly callerLeft: boolean
  /** Whether a stream broke off and another answer completed it. */
  readonly isRecovered: boolean
  /** Set where the answer is that of another request with the same idempotency key. This request made no call. */
  readonly isReplay?: true | undefined
  readonly bytesIn: number
  readonly bytesOut: number
  /** The time from the request's head to the first content for the caller. */
  readonly firstContentMs: number | undefined
  /** The time from the request's head until the whole request was read and found valid. */
  readonly receiveMs: number
  /** The time in the queue for a target. */
  readonly queueMs: number
  /**
   * The time from the request's head to its end. It consists of `receiveMs`, `queueMs`, and each attempt with the wait
   * before it.
   */
  readonly totalMs: number
  /** Wall-clock time at the end, in milliseconds since 1970. The request arrived `totalMs` earlier. */
  readonly endedAtMs: number
}

/** One target that a plan considered. */
export interface PlannedRow {
  readonly channel: string
  readonly upstreamModel: string
  readonly credentialId: string | undefined
  /** The reason why the target could not be tried, such as `rate-limited`. Undefined where it could. */
  readonly excluded?: string | undefined
}

/** One attempt in a request's row and log line. */
export interface AttemptRow {
  readonly channel: string
  readonly credentialId: string | undefined
  readonly upstreamModel: string
  /** `split`: several calls with one joined answer. */
  readonly lane: 'verbatim' | 'translated' | 'split'
  /** `answered`, `caller-gone`, or the code of the failure. */
  readonly outcome: string
  readonly upstreamStatus: number | undefined
  /** The cause in the words of the upstream or the network library, with secrets masked. */
  readonly cause: string | undefined
  /** The usage of the attempt, where it is known. */
  readonly usage: Usage | undefined
  /** The provider's cost and the caller's charge. Undefined where no billed call was made. */
  readonly cost?: NanoDollars | undefined
  readonly charged?: NanoDollars | undefined
  /** The wait before this attempt: a back-off, or the fetch of files. */
  readonly waitMs: number
  readonly headMs: number | undefined
  readonly firstContentMs: number | undefined
  readonly totalMs: number
}

/** The fields of a row that alerts evaluate. */
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

/** Observes requests. Called once for each request, at its end. Must not throw and must not block. */
export interface Observer {
  requestEnded(row: RequestRow): void
}
