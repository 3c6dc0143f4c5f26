import type { ErrorRow } from './error-row.ts'

/** The errors of a channel: the connection, the provider, and the account at the provider. */
export const upstreamErrors = {
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
    message:
      'The model provider limits how fast this gateway may ask. Try again after the time in retry-after.',
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
  answer_not_reproduced: {
    status: 502,
    type: 'api',
    retry: 'caller',
    blame: 'upstream',
    message: 'The model provider broke its answer off, and no other target gave the same answer again.',
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
  upstream_timeout: {
    status: 504,
    type: 'timeout',
    retry: 'caller',
    blame: 'upstream',
    message: 'The model provider did not answer in time.',
  },
} as const satisfies Record<string, ErrorRow>
