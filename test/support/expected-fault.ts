import type { BodyFormatId } from './body-formats.ts'

/** The error that a caller of any format gets for a recorded fault. */
export interface ExpectedFault {
  readonly status: number
  /** Undefined where the provider's own words come back. */
  readonly type: Readonly<Record<BodyFormatId, string>> | undefined
}

const apiError = { chat: 'api_error', messages: 'api_error', responses: 'api_error' }
const rateLimit = {
  chat: 'rate_limit_error',
  messages: 'rate_limit_error',
  responses: 'rate_limit_error',
}

/** Faults of our credential, quota or deployment never come back under their own status, whatever it is. */
export function expectedFault(status: number, code?: unknown): ExpectedFault {
  if (code === 'insufficient_quota') return { status: 503, type: apiError }
  if (code === 'model_not_found') return { status: 502, type: apiError }
  switch (status) {
    case 401:
    case 403:
    case 404:
      return { status: 502, type: apiError }
    case 402:
      return { status: 503, type: apiError }
    case 429:
      return { status: 429, type: rateLimit }
    default:
      return { status, type: undefined }
  }
}
