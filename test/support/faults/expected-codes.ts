/** The view that a caller must have of an error with this code. */
export interface ExpectedCode {
  /** The status in the chat format. */
  readonly status: number
  /** The status in the messages format, where it differs. */
  readonly messagesStatus?: number
  readonly type: string
  /** The type in the messages format, where it differs. */
  readonly messagesType?: string
  /** The code of the chat format, where it differs. */
  readonly chatCode?: string
  /** `wait`: `retry-after`; `never`: `x-should-retry: false`; `free`: as the client's own rules say. */
  readonly retry: 'wait' | 'never' | 'free'
  /** Whether another target is asked when this one is given up before content. */
  readonly movesOn: boolean
}

const broken = { status: 502, type: 'api_error', retry: 'free', movesOn: true } as const
const ourFault = { status: 502, type: 'api_error', retry: 'never', movesOn: true } as const
const theirFault = { status: 400, type: 'invalid_request_error', retry: 'never', movesOn: false } as const

export const expectedCodes = {
  upstream_unreachable: { status: 503, type: 'api_error', retry: 'wait', movesOn: true },
  upstream_tls: broken,
  upstream_timeout: { status: 504, type: 'timeout_error', retry: 'free', movesOn: true },
  upstream_disconnected: broken,
  upstream_bad_response: broken,
  upstream_empty: broken,
  upstream_error: broken,
  upstream_rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    chatCode: 'rate_limit_exceeded',
    retry: 'wait',
    movesOn: true,
  },
  upstream_quota: { status: 503, type: 'api_error', retry: 'never', movesOn: true },
  upstream_overloaded: {
    status: 503,
    messagesStatus: 529,
    type: 'overloaded_error',
    retry: 'wait',
    movesOn: true,
  },
  /** The gateway's own end is no reason to ask another target. */
  shutting_down: { status: 503, type: 'api_error', retry: 'wait', movesOn: false },
  upstream_credential: ourFault,
  upstream_model_missing: ourFault,
  context_length_exceeded: theirFault,
  content_policy_violation: theirFault,
  upstream_rejected: theirFault,
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    messagesType: 'request_too_large',
    retry: 'never',
    movesOn: false,
  },
} as const satisfies Record<string, ExpectedCode>

export type FaultCode = keyof typeof expectedCodes
