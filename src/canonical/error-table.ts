import { configErrors } from './error-rows/config-errors.ts'
import type { ErrorRow } from './error-rows/error-row.ts'
import { gatewayErrors } from './error-rows/gateway-errors.ts'
import { peopleErrors } from './error-rows/people-errors.ts'
import { requestErrors } from './error-rows/request-errors.ts'
import { upstreamErrors } from './error-rows/upstream-errors.ts'

/** The errors of a reference to a stored response. */
export const storedResponseErrors = {
  previous_response_not_found: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The previous response is not found: this key has no stored response from which a channel of this model can go on. Leave "previous_response_id" out and send the whole conversation in "input".',
  },
  response_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'There is no such response: this key has no stored response of that id.',
  },
  item_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'An item of the input is named by an id, and this key has no stored item of that id. Send the item itself in the place of its id.',
  },
  response_not_cancellable: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'Only a response that was created with "background": true can be cancelled. Close the connection of the request to end another.',
  },
} as const satisfies Record<string, ErrorRow>

/** The errors of a request that exceeds a spending limit or a rate limit. */
export const spendingErrors = {
  budget_exceeded: {
    status: 429,
    type: 'quota',
    retry: 'never',
    blame: 'caller',
    message:
      'A budget of this API key has less left than the request can cost. Ask the operator of this gateway to raise it, or wait until it resets.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate-limit',
    retry: 'wait',
    blame: 'caller',
    message:
      'This API key, or its user or group, has reached a rate limit. Try again after the time in retry-after.',
  },
  concurrency_limit_exceeded: {
    status: 429,
    type: 'rate-limit',
    retry: 'wait',
    blame: 'caller',
    message:
      'This API key, or its user or group, has reached its limit of concurrent requests. Try again when one has ended.',
  },
  passthrough_unpriced: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'operator',
    message:
      'The price of this call is not known, and a limit in money applies to this API key. The operator can give the path a price under "passthrough" of the channel.',
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

/** Every error that Headgate answers with. `docs/errors.md` is tested against this table. */
export const errorTable = {
  ...requestErrors,
  ...configErrors,
  ...peopleErrors,
  ...storedResponseErrors,
  ...spendingErrors,
  ...upstreamErrors,
  ...gatewayErrors,
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text)
}

export function errorRow(code: ErrorCode): ErrorRow {
  return errorTable[code]
}
