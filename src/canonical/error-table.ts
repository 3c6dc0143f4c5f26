/** The kinds of error that every client format can name. */
export type ErrorType =
  | 'invalid-request'
  | 'authentication'
  | 'permission'
  | 'not-found'
  | 'too-large'
  | 'rate-limit'
  | 'timeout'
  | 'overloaded'
  | 'api'

export interface ErrorRow {
  readonly status: number
  readonly type: ErrorType
  /**
   * Whether the same request may succeed later: `wait` sends `retry-after`, `never` sends `x-should-retry: false`,
   * `caller` leaves it to the client's own rules for the status.
   */
  readonly retry: 'wait' | 'never' | 'caller'
  /** Whose fault it is, for logs, metrics and alerts. */
  readonly blame: 'caller' | 'operator' | 'upstream' | 'gateway'
  /** What happened and what to do, where the place of the error has nothing better to say. */
  readonly message: string
}

/** Every error that Headgate answers with. `docs/errors.md` is tested against this table. */
export const errorTable = {
  missing_api_key: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message: 'No API key was sent. Send it as "Authorization: Bearer <key>" or "x-api-key: <key>".',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message:
      'The API key is not valid: it is unknown, revoked, disabled or expired. Check it, or ask the operator of this gateway for a new one.',
  },
  conflicting_api_keys: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message: 'Two different valid API keys were sent in one request. Send one.',
  },
  ip_not_allowed: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message: 'This API key may not be used from your address. Ask the operator to add it to the key.',
  },
  model_not_permitted: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message: 'This API key may not use the model. GET /v1/models lists the models that it may use.',
  },
  admin_only: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message: 'This address needs the admin token as "Authorization: Bearer <token>".',
  },
  model_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'There is no such model here. GET /v1/models lists the models that this key may use.',
  },
  key_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'There is no key with this id or name. GET /admin/v1/keys lists the keys.',
  },
  path_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is nothing at this path. The base address for the OpenAI SDK ends in /v1, for the Anthropic SDK it does not.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This path does not take this method; the Allow header lists those it takes.',
  },
  request_timeout: {
    status: 408,
    type: 'timeout',
    retry: 'caller',
    blame: 'caller',
    message: 'The request did not arrive in time. Send it again.',
  },
  name_taken: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'There is a key with this name already. Choose another name, or revoke that key first.',
  },
  request_too_large: {
    status: 413,
    type: 'too-large',
    retry: 'never',
    blame: 'caller',
    message: 'The request body is larger than this gateway takes.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body must be sent as "Content-Type: application/json", without a content encoding.',
  },
  malformed_request: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The request is not well-formed HTTP.',
  },
  invalid_json: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body is not valid JSON.',
  },
  body_not_object: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body must be a JSON object.',
  },
  invalid_utf8: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body is not valid UTF-8.',
  },
  json_too_deep: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body is nested too deeply.',
  },
  duplicate_field: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'A field stands twice in the body, letter case aside. Send it once.',
  },
  missing_field: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'A required field is missing.',
  },
  invalid_field: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'A field has a value that is not allowed.',
  },
  field_not_allowed: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'This field would steer the request past the gateway, so the channel does not allow it. Leave it out.',
  },
  cannot_be_carried: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The channel for this model speaks another format, which has no place for this field, and the request asked for strict translation. Leave the field out, or send the request without "x-headgate-strict".',
  },
  thread_unsupported: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The channel for this model keeps no conversations. Send the whole conversation without "thread".',
  },
  upstream_rejected: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The model provider refused the request.',
  },
  context_length_exceeded: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The request is longer than the model can read. Shorten it.',
  },
  content_policy_violation: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The model provider refused the request under its content policy.',
  },
  upstream_rate_limited: {
    status: 429,
    type: 'rate-limit',
    retry: 'wait',
    blame: 'upstream',
    message: 'Every channel for this model is at its rate limit. Try again after the time in retry-after.',
  },
  client_closed_request: {
    status: 499,
    type: 'api',
    retry: 'caller',
    blame: 'caller',
    message: 'The caller went away before the answer was complete.',
  },
  internal_error: {
    status: 500,
    type: 'api',
    retry: 'caller',
    blame: 'gateway',
    message: 'Something in the gateway failed. The operator finds the cause in the log under the request id.',
  },
  upstream_bad_response: {
    status: 502,
    type: 'api',
    retry: 'caller',
    blame: 'upstream',
    message: 'The model provider sent an answer that could not be read.',
  },
  upstream_empty: {
    status: 502,
    type: 'api',
    retry: 'caller',
    blame: 'upstream',
    message: 'The model provider sent an empty answer.',
  },
  upstream_error: {
    status: 502,
    type: 'api',
    retry: 'caller',
    blame: 'upstream',
    message: 'The model provider failed.',
  },
  upstream_disconnected: {
    status: 502,
    type: 'api',
    retry: 'caller',
    blame: 'upstream',
    message: 'The model provider closed the connection before the answer was complete.',
  },
  upstream_tls: {
    status: 502,
    type: 'api',
    retry: 'caller',
    blame: 'operator',
    message: 'A secure connection to the model provider could not be made.',
  },
  upstream_credential: {
    status: 502,
    type: 'api',
    retry: 'never',
    blame: 'operator',
    message: "The model provider refused this gateway's own credential. The operator must renew it.",
  },
  upstream_model_missing: {
    status: 502,
    type: 'api',
    retry: 'never',
    blame: 'operator',
    message:
      'The model provider does not have the model that this gateway is set up to use. The operator must correct it.',
  },
  destination_refused: {
    status: 502,
    type: 'api',
    retry: 'never',
    blame: 'operator',
    message:
      'The channel leads to an address on this machine or a private network, which it may not reach. The operator can allow it with allow_private: true.',
  },
  upstream_unreachable: {
    status: 503,
    type: 'api',
    retry: 'wait',
    blame: 'upstream',
    message: 'The model provider cannot be reached.',
  },
  upstream_quota: {
    status: 503,
    type: 'api',
    retry: 'never',
    blame: 'operator',
    message: "This gateway's account with the model provider is out of credit. The operator must top it up.",
  },
  upstream_overloaded: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'upstream',
    message: 'The model provider is overloaded. Try again after the time in retry-after.',
  },
  no_channel: {
    status: 503,
    type: 'api',
    retry: 'wait',
    blame: 'operator',
    message: 'No channel can serve this model at the moment.',
  },
  shutting_down: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'gateway',
    message: 'This gateway is shutting down. Send the request again.',
  },
  store_unavailable: {
    status: 503,
    type: 'api',
    retry: 'wait',
    blame: 'operator',
    message: "The gateway's store cannot be used at the moment. The log says why.",
  },
  upstream_timeout: {
    status: 504,
    type: 'timeout',
    retry: 'caller',
    blame: 'upstream',
    message: 'The model provider did not answer in time.',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

export function errorRow(code: ErrorCode): ErrorRow {
  return errorTable[code]
}
