/** The kinds of error that every client format can name. */
export type ErrorType =
  | 'invalid-request'
  | 'authentication'
  | 'permission'
  | 'not-found'
  | 'too-large'
  | 'rate-limit'
  | 'quota'
  | 'timeout'
  | 'overloaded'
  | 'api'

export interface ErrorRow {
  readonly status: number
  readonly type: ErrorType
  /**
   * Whether the same request may succeed later. `wait` sends `retry-after`. `never` sends `x-should-retry: false`.
   * `caller` leaves the decision to the client's own rules for the status.
   */
  readonly retry: 'wait' | 'never' | 'caller'
  /** The side at fault, for logs, metrics and alerts. */
  readonly blame: 'caller' | 'operator' | 'upstream' | 'gateway'
  /** The text of what happened and what to do, where the failing code has no better message. */
  readonly message: string
}
