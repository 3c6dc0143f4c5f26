import type { ErrorRow } from './error-row.ts'

/** What stands between a request and a model when money or a rate is limited. */
export const spendingErrors = {
  budget_exceeded: {
    status: 429,
    type: 'quota',
    retry: 'never',
    blame: 'caller',
    message:
      'A budget of this API key does not hold what the request can cost. Ask the operator of this gateway to raise it, or wait until it starts anew.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate-limit',
    retry: 'wait',
    blame: 'caller',
    message:
      'This API key, or what it belongs to, asks faster than it may. Try again after the time in retry-after.',
  },
  concurrency_limit_exceeded: {
    status: 429,
    type: 'rate-limit',
    retry: 'wait',
    blame: 'caller',
    message:
      'This API key, or what it belongs to, has as many requests under way as it may. Try again when one has ended.',
  },
  model_unpriced: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'operator',
    message:
      'The model has no price here, so that a request for it cannot be counted. The operator can give it a price under models in the configuration.',
  },
} as const satisfies Record<string, ErrorRow>
