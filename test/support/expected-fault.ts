/** What a caller of any format gets for a recorded fault. */
export interface ExpectedFault {
  readonly status: number
  /** Undefined where the provider's own words come back. */
  readonly type: { readonly chat: string; readonly messages: string } | undefined
}

const apiError = { chat: 'api_error', messages: 'api_error' }

/** Faults of our credential, quota or deployment never come back under their own status. */
export function expectedFault(status: number): ExpectedFault {
  switch (status) {
    case 401:
    case 403:
    case 404:
      return { status: 502, type: apiError }
    case 402:
      return { status: 503, type: apiError }
    case 429:
      return { status: 429, type: { chat: 'rate_limit_error', messages: 'rate_limit_error' } }
    default:
      return { status, type: undefined }
  }
}
